//! The names of claims.

use serde::{Deserialize, Serialize};

/// What a sentence about a measured path claims: one thing each, so that it can be judged by itself.
///
/// Names do not change their meaning; in JSON they are written `like-this`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    // --- the verdict: the test as a whole ---
    /// It is only a part of a test; why.
    Partial,
    /// No direction was loaded.
    NothingLoaded,
    /// Every direction was filled, a managed queue was found, and packets wait less than `delay_ms`.
    Cured,
    /// Every direction was filled, and packets wait less than `delay_ms`.
    Healthy,
    /// This computer was the limit, and not the line.
    MachineLimit,
    // --- the verdict: one direction ---
    /// Loading it adds so much delay for 95 of 100 packets (`delay_ms`), which is that `grade`.
    AddedDelay,
    /// It carried `rate_mbit`, which need not be all that it can.
    Reached,
    /// The server's own bound of `rate_mbit` was the limit.
    ServerRate,
    /// An end was the limit for that `part` of the time, and not the line.
    EndLimit,
    /// Others use it too: they had at least `rate_mbit`.
    OtherTraffic,
    /// The rate changed while it was loaded, and why is not known.
    RateChanged,
    /// TCP waits `delay_ms` longer than probes, which pass its queue.
    ProbesFavoured,
    /// This `part` of the packets is lost for another reason than a full queue.
    RandomLoss,
    /// It was loaded, but its delay could not be measured well enough.
    NoDelay,
    /// What is too much is dropped at `rate_mbit` instead of waiting: a policer.
    Policer,
    /// The queue is of that `kind`.
    Kind,
    /// The buffer holds so much: `bytes` or `packets`.
    Buffer,
    /// The buffer holds at least so much: `bytes` or `packets`.
    BufferAtLeast,
    /// A full buffer would make packets wait for `delay_ms`, which it was not most of the time.
    FullBuffer,
    /// The queue is at `hop`, or from there to `last_hop`.
    Place,
    /// Where the queue is cannot be told; why.
    PlaceUnknown,
    /// The load itself waits `delay_ms`, in queues of its own.
    LoadWaits,
    /// Of the small packets beside the load this `part` is lost, or up to `part_most`.
    Loss,
    /// This `part` of the load's own packets was sent once more.
    SentAgain,
    /// The test did not fill the direction.
    NotFilled,
    // --- the verdict: what people notice ---
    /// How a call sounds while the worse direction is loaded.
    Call,
    /// A game answers after `delay_ms`.
    Game,
    /// A page of ten round trips takes `delay_ms`.
    Page,
    /// What the frames of the call met that was made beside the load.
    CallFrames,
    /// How long the page took that was loaded beside the load.
    PageLoads,
    /// The lag is `delay_ms`.
    Lag,
    /// The round trip of the idle path is `delay_ms`.
    Idle,
    /// Responsiveness as the IETF defines it.
    Responsiveness,
    /// The grade of the path.
    Grade,
    // --- the limits: of the machines ---
    /// A processor of this machine was busy for that `part` of the time.
    ProcessorBusy,
    /// A processor of the server was busy for that `part` of the time.
    ServerProcessorBusy,
    /// This machine sent probes up to `delay_ms` late.
    LateProbes,
    /// Nothing was sent for a while: this machine slept.
    Slept,
    /// The server did other tests meanwhile.
    ServerShared,
    // --- the limits: of the load ---
    /// UDP does not pass, so delays are those of TCP's handshakes.
    UdpBlocked,
    /// The flows waited for a window or buffer of an end for that `part` of the time.
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
    /// This computer slept or stood still, and the test ended.
    StoodStill,
    // --- the advice ---
    /// Give our own interface a fair queue.
    FairQueue,
    /// There is a shaper on our own interface already, which is to be kept and changed.
    KeepShaper,
    /// Our own interface has a fair queue already: the queue is below it.
    BelowFairQueue,
    /// Others use the line: pause them, and test again.
    PauseOthers,
    /// A policer drops what a shaper below the contract's rate would let wait.
    ShapeToContract,
    /// What the line carries is not known: test again before shaping.
    RateUnknown,
    /// Test again after a change.
    TestAgain,
    /// The shaper has to know the line's overhead.
    Overhead,
    /// Shape the direction to `rate_mbit`.
    Shape,
    /// How to shape on OpenWrt.
    ShapeOpenwrt,
    /// How to shape on Linux.
    ShapeLinux,
    /// The rate varies, which a fixed shaper cannot follow.
    FollowRate,
    /// Test once by cable, since the queue may be that of Wi-Fi.
    TestByCable,
    /// The queue is beyond the line: it is the provider's or the server's to mend.
    TellProvider,
    // --- of files of other programs ---
    /// What round trips took.
    RoundTrips,
    /// What each way took beyond its least.
    OneWay,
    /// How many probes were lost, and where.
    LostProbes,
    /// Which program recorded it.
    Recorded,
    /// The beginning of each load is left out.
    BeginningLeftOut,
    /// Delays one way are by two clocks.
    TwoClocks,
    /// Which of two loaded directions waits is not told.
    EitherDirection,
    /// Series that were not read.
    SeriesNotRead,
    /// What was loaded meanwhile is not known.
    LoadUnknown,
    /// None of these.
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
