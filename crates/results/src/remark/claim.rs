//! The names of claims.

use serde::{Deserialize, Serialize};

/// Claims that a sentence about a measured path can make. Each is one fact, so that it can be
/// judged by itself.
///
/// The meaning of a name does not change. In JSON names are written `like-this`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    // --- the verdict: the test as a whole ---
    /// The test is incomplete, for the reason that the sentence gives.
    Partial,
    /// No direction was loaded.
    NothingLoaded,
    /// Every direction was filled, a managed queue was found, and packets wait less than `delay_ms`.
    Cured,
    /// Every direction was filled, and packets wait less than `delay_ms`.
    Healthy,
    /// The client's computer was the limit, and not the line.
    MachineLimit,
    // --- the verdict: one direction ---
    /// Loading the direction adds up to `delay_ms` for 95 of 100 packets, which is that `grade`.
    AddedDelay,
    /// The direction carried `rate_mbit`, and may be able to carry more.
    Reached,
    /// The server's own bound of `rate_mbit` was the limit.
    ServerRate,
    /// An end, and not the line, was the limit for that `part` of the time.
    EndLimit,
    /// Others use the direction too: they had at least `rate_mbit`.
    OtherTraffic,
    /// The rate changed while the direction was loaded, and the reason is not known.
    RateChanged,
    /// TCP waits `delay_ms` longer than probes, which bypass its queue.
    ProbesFavoured,
    /// A `part` of the packets is lost for another reason than a full queue.
    RandomLoss,
    /// The direction was loaded, but its delay could not be measured well enough.
    NoDelay,
    /// Packets above `rate_mbit` are dropped and do not wait: a policer.
    Policer,
    /// The queue is of that `kind`.
    Kind,
    /// The buffer holds `bytes` or `packets`.
    Buffer,
    /// The buffer holds at least `bytes` or `packets`.
    BufferAtLeast,
    /// The full buffer would delay packets by `delay_ms`, but most of the time it was not full.
    FullBuffer,
    /// The queue is at `hop`, or at a hop from there to `last_hop`.
    Place,
    /// The location of the queue is not known, for the reason that the sentence gives.
    PlaceUnknown,
    /// The load itself waits `delay_ms`, in queues of its own.
    LoadWaits,
    /// A `part` of the small packets beside the load is lost, or up to `part_most`.
    Loss,
    /// A `part` of the load's own packets was retransmitted.
    SentAgain,
    /// The test did not fill the direction.
    NotFilled,
    // --- the verdict: what people notice ---
    /// The quality of a call while the worse direction is loaded.
    Call,
    /// A game answers after `delay_ms`.
    Game,
    /// A page of ten round trips takes `delay_ms`.
    Page,
    /// Delay and loss of the frames of the call that was made beside the load.
    CallFrames,
    /// The time to load the page beside the load.
    PageLoads,
    /// The lag is `delay_ms`.
    Lag,
    /// The round trip of the idle path is `delay_ms`.
    Idle,
    /// The responsiveness as the IETF defines it.
    Responsiveness,
    /// The grade of the path.
    Grade,
    // --- the limits: of the machines ---
    /// A processor of the client's machine was busy for that `part` of the time.
    ProcessorBusy,
    /// A processor of the server was busy for that `part` of the time.
    ServerProcessorBusy,
    /// The client's machine sent probes up to `delay_ms` late.
    LateProbes,
    /// Nothing was sent for a while: the client's machine slept.
    Slept,
    /// The server did other tests meanwhile.
    ServerShared,
    // --- the limits: of the load ---
    /// UDP does not pass, so delays are those of TCP's handshakes.
    UdpBlocked,
    /// The flows were limited by a window or buffer of an end for that `part` of the time.
    HeldBack,
    /// The senders' congestion control does not fill queues.
    GentleSenders,
    /// The load went on for longer than planned.
    Extended,
    /// The queue still grew at the end.
    StillGrowing,
    /// A direction was not loaded for long enough.
    NotLoaded,
    // --- the limits: of the path ---
    /// The direction was hardly ever without a queue.
    NeverIdle,
    /// The direction was in use before the test loaded it, with `delay_ms` of delay.
    LoadedBefore,
    /// Our address changed meanwhile.
    AddressChanged,
    /// An address of the server did not answer in time.
    SilentAddress,
    /// The server's clock jumped by `delay_ms`.
    ClockStepped,
    /// The test was stopped before its end.
    Interrupted,
    /// The server or the path to it was lost before the end.
    Lost,
    /// Large packets do not come through, and small ones do.
    LargeLost,
    /// The client's computer slept or stood still, and the test ended.
    StoodStill,
    // --- the advice ---
    /// Give our own interface a fair queue.
    FairQueue,
    /// Our own interface has a shaper already: keep it, and change its rate.
    KeepShaper,
    /// Our own interface has a fair queue already: the queue is below it.
    BelowFairQueue,
    /// Others use the line: pause them, and test again.
    PauseOthers,
    /// A policer drops packets; a shaper below the contract's rate would delay them.
    ShapeToContract,
    /// The rate of the line is not known: test again before shaping.
    RateUnknown,
    /// Test again after a change.
    TestAgain,
    /// Shape the direction to `rate_mbit`.
    Shape,
    /// The command of this program that prints the settings of a shaper. Documents of earlier versions
    /// have the settings themselves.
    #[serde(alias = "shape_openwrt", alias = "shape_linux", alias = "overhead")]
    Plan,
    /// The rate varies, which a fixed shaper cannot follow.
    FollowRate,
    /// Test once by cable, since the queue may be that of Wi-Fi.
    TestByCable,
    /// The queue is beyond the line: the provider or the server's owner has to change it.
    TellProvider,
    // --- of files of other programs ---
    /// The round trips.
    RoundTrips,
    /// The one-way delays beyond their least.
    OneWay,
    /// The number of lost probes, and the direction in which they were lost.
    LostProbes,
    /// The program that recorded the file.
    Recorded,
    /// The beginning of each load is left out.
    BeginningLeftOut,
    /// One-way delays are differences of two clocks.
    TwoClocks,
    /// The delay is in one of two loaded directions, but which one is not known.
    EitherDirection,
    /// Series that were not read.
    SeriesNotRead,
    /// The load during the test is not known.
    LoadUnknown,
    /// Another claim, which has no name of its own.
    #[default]
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_in_kebab_case() {
        let name = |claim: Claim| serde_json::to_value(claim).unwrap();
        assert_eq!(name(Claim::AddedDelay), "added-delay");
        assert_eq!(name(Claim::BufferAtLeast), "buffer-at-least");
    }
}
