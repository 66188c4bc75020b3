//! What to do about it: sentences, and commands that can be copied.

use results::observation::Heading;
use results::{Buffer, Claim, Grade, LoadedDirection, Measurement, Place, QueueKind, Remark};

use super::words::{heading, rate};

/// So much of the line's rate leaves the queue before it empty, and costs little.
const SHARE: f64 = 0.95;

/// What to do about it, if anything.
///
/// A queue is kept short by whoever holds it; where nobody can change that one, a shaper just below
/// the line's rate moves it to where one can.
pub fn measurement_advice(measurement: &Measurement) -> Vec<Remark> {
    let bloated: Vec<(Heading, &LoadedDirection)> =
        measurement.judged().filter(|(_, direction)| is_bloated(direction)).collect();
    let place = |direction: &LoadedDirection| {
        direction.offender.as_ref().map(|offender| offender.place).unwrap_or_default()
    };
    let (own, others): (Vec<_>, Vec<_>) =
        bloated.iter().partition(|(_, direction)| place(direction) == Place::OwnHost);
    let mut advice = Vec::new();
    if !own.is_empty() {
        advice.push(own_queue());
    }
    advice.extend(shaping(&others));
    let any = |wanted| others.iter().any(|(_, direction)| place(direction) == wanted);
    if any(Place::FirstHop) {
        advice.push(Remark::new(
            Claim::TestByCable,
            "If you are on Wi-Fi, test once by cable. A queue that is only in the Wi-Fi is fixed in \
             the access point, by one with a fair queue for each station, as OpenWrt has for ath9k, \
             ath10k and mt76.",
        ));
    }
    if any(Place::Beyond) {
        advice.push(Remark::new(
            Claim::TellProvider,
            "The queue beyond your line is your provider's or the server's: a shaper at home helps \
             only if that bottleneck is yours alone. Test against another server, and tell the \
             provider which hop it is.",
        ));
    }
    advice
}

/// Worth mending: a long queue, or a policer that drops instead.
fn is_bloated(direction: &LoadedDirection) -> bool {
    let policed = direction.queue.is_some_and(|queue| queue.kind == QueueKind::Policer);
    policed || direction.grade.is_some_and(|grade| grade > Grade::A)
}

fn own_queue() -> Remark {
    Remark {
        commands: vec!["sudo tc qdisc replace dev DEVICE root fq_codel".into()],
        ..Remark::new(
            Claim::FairQueue,
            "Give your own interface a fair queue (DEVICE is its name):",
        )
    }
}

/// A shaper for these directions, on the router.
fn shaping(directions: &[&(Heading, &LoadedDirection)]) -> Vec<Remark> {
    let wanted: Vec<(Heading, u64)> = directions
        .iter()
        .filter_map(|(heading, direction)| Some((*heading, kilobits(direction)?)))
        .collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut advice: Vec<Remark> = wanted.iter().map(|wanted| shape(*wanted)).collect();
    advice.extend([openwrt(&wanted), linux(&wanted)]);
    if directions.iter().any(|(_, direction)| varies(direction)) {
        advice.push(Remark::new(
            Claim::FollowRate,
            "The rate varies, which a fixed shaper cannot follow: set it to the least that you see, \
             or let cake-autorate set it.",
        ));
    }
    advice
}

fn shape((heading, kilobits): (Heading, u64)) -> Remark {
    let mbit = kilobits as f64 / 1e3;
    let text = format!(
        "Shape the {} to {} with CAKE, on the router: a little below the line's rate, so that the \
         queue forms where it is kept short.",
        self::heading(heading),
        rate(mbit)
    );
    Remark { rate_mbit: Some(mbit), ..Remark::of(Claim::Shape, heading, text) }
}

fn openwrt(wanted: &[(Heading, u64)]) -> Remark {
    let of = |heading| wanted.iter().find(|(one, _)| *one == heading).map_or(0, |(_, rate)| *rate);
    let text = format!(
        "OpenWrt: SQM QoS with download {} kbit/s, upload {} kbit/s (0 is not shaped), queue cake, \
         script piece_of_cake.qos.",
        of(Heading::Down),
        of(Heading::Up)
    );
    Remark::new(Claim::ShapeOpenwrt, text)
}

fn linux(wanted: &[(Heading, u64)]) -> Remark {
    let commands = wanted.iter().flat_map(|(heading, kilobits)| match heading {
        Heading::Up => {
            vec![format!("sudo tc qdisc replace dev WAN root cake bandwidth {kilobits}kbit")]
        }
        Heading::Down => ingress(*kilobits).to_vec(),
    });
    Remark {
        commands: commands.collect(),
        ..Remark::new(Claim::ShapeLinux, "Linux, where WAN is the interface to your provider:")
    }
}

/// What arrives is shaped on a device of its own, through which all of it is led.
fn ingress(kilobits: u64) -> [String; 5] {
    [
        "ip link add name ifb4wan type ifb".into(),
        "ip link set ifb4wan up".into(),
        "tc qdisc add dev WAN handle ffff: ingress".into(),
        "tc filter add dev WAN parent ffff: matchall action mirred egress redirect dev ifb4wan"
            .into(),
        format!("tc qdisc replace dev ifb4wan root cake bandwidth {kilobits}kbit ingress"),
    ]
    .map(|command: String| "sudo ".to_owned() + &command)
}

fn varies(direction: &LoadedDirection) -> bool {
    direction.queue.is_some_and(|queue| queue.kind == QueueKind::VariableRate)
}

/// What to shape a direction to: three digits, rounded down. The rate is that at which its buffer
/// drains; what went through is less where the load did not fill it all the time.
fn kilobits(direction: &LoadedDirection) -> Option<u64> {
    let drains = |buffer: Buffer| results::ratio(buffer.bytes? * 8.0, buffer.full_ms?);
    let drained = direction.buffer.and_then(drains);
    let rate = drained.or(direction.rate_mbit.map(|mbit| mbit * 1e3));
    let wanted = rate.filter(|kilobits| kilobits.is_finite())? * SHARE;
    // A rate that is 19,999 for all practical purposes becomes 20,000.
    let whole = (wanted * 1.001) as u64;
    let unit = 10_u64.checked_pow(whole.checked_ilog10()?.saturating_sub(2))?;
    Some(whole / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_little_below_the_rate() {
        let at = |mbit| {
            kilobits(&LoadedDirection { rate_mbit: Some(mbit), ..LoadedDirection::default() })
        };
        let expected = [(2.0, 1900), (19.98, 18_900), (940.0, 893_000), (0.064, 60)];
        for (mbit, kilobits) in expected {
            assert_eq!(at(mbit), Some(kilobits), "{mbit} Mbit/s");
        }
        // The buffer of a line of 20 Mbit/s that the load filled half of the time.
        let buffer =
            Buffer { bytes: Some(262_144.0), full_ms: Some(104.857_6), ..Buffer::default() };
        let buffer = Some(buffer);
        let starved = LoadedDirection { rate_mbit: Some(10.0), buffer, ..Default::default() };
        assert_eq!(kilobits(&starved), Some(19_000));
        for mbit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(at(mbit), None, "{mbit} Mbit/s");
        }
    }
}
