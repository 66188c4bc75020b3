//! Advice: sentences, and commands that can be copied.
//!
//! Advice is given only where the line was the limit. A rate is advised only where the line's is
//! known: a shaper for the part that others left would waste the rest of the line.

mod commands;

use observation::Heading;
use remedy::{
    LinkKind, Prescription, RateDoubt, Wishes, has, is_bloated, is_policed, line_rate, rate_doubt,
};
use results::{
    Claim, FindingKind, LoadedDirection, Measurement, NetworkPart, OwnInterface, QueueKind, Remark,
};

use units::Rate;

use super::words::rate;
use crate::number::fixed;
use crate::text::printable;

/// Queues that shape. Deleting one would remove a limit that was set on purpose.
const SHAPERS: [&str; 6] = ["cake", "cake_mq", "cbq", "hfsc", "htb", "tbf"];

/// Queues that are fair, but do not shape.
const FAIR: [&str; 4] = ["fq", "fq_codel", "fq_pie", "sfq"];

/// The advice for a measured path; empty if there is nothing to do.
///
/// Only the machine that holds a queue can keep it short. If that machine cannot be changed, a
/// shaper just below the line's rate moves the queue to one that can.
pub fn measurement_advice(measurement: &Measurement) -> Vec<Remark> {
    let server = server_hop(measurement);
    let mut bloated: Vec<Bloated<'_>> = measurement
        .judged()
        .filter(|(_, direction)| is_bloated(direction))
        .map(|(heading, direction)| Bloated { heading, direction, server })
        .collect();
    if bloated.is_empty() || measurement.is_partial() {
        return Vec::new();
    }
    let policed: Vec<Remark> = bloated
        .iter()
        .filter(|one| is_policed(one.direction))
        .map(|one| shape_to_contract(one.heading))
        .collect();
    bloated.retain(|one| !is_policed(one.direction));
    let (open, alone): (Vec<&Bloated<'_>>, Vec<&Bloated<'_>>) =
        bloated.iter().partition(|one| rate_doubt(one.direction).is_some());
    let interface = measurement.interface.as_ref();
    let (own, others): (Vec<&Bloated<'_>>, Vec<&Bloated<'_>>) =
        alone.into_iter().partition(|one| one.is_ours(interface));
    let mut advice: Vec<Remark> = open.iter().map(|one| test_again(one)).collect();
    advice.extend(policed);
    advice.extend(own.first().map(|one| own_queue(one.direction, interface)));
    advice.extend(shaping(&others, interface));
    let any = |wanted| others.iter().any(|one| one.place() == wanted);
    if any(NetworkPart::FirstHop) && interface.is_none_or(|interface| interface.wireless) {
        advice.push(Remark::new(
            Claim::TestByCable,
            "If you are on Wi-Fi, test once by cable. If the queue is only in the Wi-Fi, use an \
             access point with a fair queue for each station, such as OpenWrt with ath9k, ath10k \
             or mt76.",
        ));
    }
    if any(NetworkPart::Beyond) {
        advice.push(Remark::new(
            Claim::TellProvider,
            "The queue beyond your line belongs to your provider or to the server: a shaper at \
             home helps only if nobody else uses that bottleneck. Test against another server, and \
             tell the provider which hop it is.",
        ));
    }
    if advice.iter().any(|remark| !remark.commands.is_empty()) {
        advice.push(Remark::new(
            Claim::TestAgain,
            "Then test again, to see how much shorter the delay is and how much rate the change \
             costs.",
        ));
    }
    advice
}

/// The hop of the server; `None` if no answer of the server was recognised on the path.
pub(super) fn server_hop(measurement: &Measurement) -> Option<u8> {
    measurement.hops.iter().find(|hop| hop.is_server).map(|hop| hop.hop)
}

/// A direction that needs advice.
#[derive(Clone, Copy)]
struct Bloated<'a> {
    heading: Heading,
    direction: &'a LoadedDirection,
    /// The hop of the server, if that is known.
    server: Option<u8>,
}

impl Bloated<'_> {
    fn place(&self) -> NetworkPart {
        self.direction.offender.as_ref().map(|offender| offender.place).unwrap_or_default()
    }

    /// True if the queue is that of our own interface. If the queue may also be right behind the
    /// interface, it counts as ours only if the interface shapes.
    fn is_ours(&self, interface: Option<&OwnInterface>) -> bool {
        let qdisc = interface.and_then(|own| own.qdisc.as_deref()).unwrap_or_default();
        let is_here = self.place() == NetworkPart::OwnHost || self.is_before_router();
        let is_own = self.place() == NetworkPart::OwnHost || SHAPERS.contains(&qdisc);
        self.heading == Heading::Up && is_here && is_own
    }

    /// True if this is an upload's queue before the first router, which only this computer can
    /// shape.
    fn is_before_router(&self) -> bool {
        self.heading == Heading::Up && self.hop() == Some(0)
    }

    /// True if the queue is in or next to the server.
    fn is_at_server(&self) -> bool {
        self.hop().is_some() && self.hop() == self.server
    }

    fn hop(&self) -> Option<u8> {
        self.direction.offender.as_ref().and_then(|offender| offender.hop)
    }
}

/// Advice for a policer, which names no rate: nothing waits there, so the traffic of others is not
/// seen, and the load's rate may be only a part of the policer's.
fn shape_to_contract(heading: Heading) -> Remark {
    let text = format!(
        "A policer drops packets of the {} above a certain rate. A shaper lets them wait instead: \
         set CAKE on the router a little below the rate of your contract, and test again.",
        heading.in_words()
    );
    Remark::of(Claim::ShapeToContract, heading, text)
}

/// The advice for a direction whose rate is not known.
fn test_again(one: &Bloated<'_>) -> Remark {
    let name = one.heading.in_words();
    let (claim, text) = match has(one.direction, FindingKind::OtherTraffic) {
        true => (
            Claim::PauseOthers,
            format!(
                "Others used the {name} during the test, so the line may carry more than the test \
                 had. Pause their traffic and test again before you shape the {name}."
            ),
        ),
        false => (
            Claim::RateUnknown,
            format!(
                "{} Before you shape the {name}, test again when nobody else uses the line.",
                unknown_rate(one)
            ),
        ),
    };
    Remark::of(claim, one.heading, text)
}

/// What is known of the rate of a line, and why no more.
fn unknown_rate(Bloated { heading, direction, .. }: &Bloated<'_>) -> String {
    let used = direction.rate_mbit.map_or("some".to_owned(), rate);
    let used = format!("The test had {used} of the {}", heading.in_words());
    match rate_doubt(direction) {
        Some(RateDoubt::Shared(part)) => format!(
            "{used}. Others may have had up to {} % of the line at the same time, so the line may \
             carry more.",
            fixed(part * 100.0, 0)
        ),
        Some(RateDoubt::Unsure([low, high])) => format!(
            "{used}. Other tests like this one may find any rate from {} to {}, so the rate of the \
             line is not known.",
            rate(low),
            rate(high)
        ),
        Some(RateDoubt::Finding(FindingKind::RateChanged)) => format!(
            "{used}, but the rate changed during the test. The line itself may have changed, or \
             others may have used it."
        ),
        Some(RateDoubt::Finding(FindingKind::ProbesFavoured)) => format!(
            "{used}. Probes may have bypassed the queue, so they do not show whether others used \
             the line, and the line may carry more."
        ),
        Some(RateDoubt::Finding(_)) | None => format!("{used}. The line may carry more."),
    }
}

/// The advice for a queue in or next to this computer, which depends on the queue that its
/// interface has already.
fn own_queue(direction: &LoadedDirection, interface: Option<&OwnInterface>) -> Remark {
    let name = interface.map_or_else(|| "DEVICE".to_owned(), |own| printable(&own.name));
    let queue = interface.and_then(|own| own.qdisc.as_deref()).unwrap_or_default();
    let hop = direction.offender.as_ref().and_then(|offender| offender.hop);
    let remark = |claim, text: String, commands: Vec<String>| Remark {
        hop,
        commands,
        ..Remark::of(claim, Heading::Up, text)
    };
    let look = || vec![format!("tc -s qdisc show dev {name}")];
    if queue.starts_with("cake") {
        let text = format!(
            "The interface {name} of this computer has a shaper (cake) already: keep it, and lower \
             its `bandwidth`, because packets still wait behind it."
        );
        return remark(Claim::KeepShaper, text, look());
    }
    if SHAPERS.contains(&queue) {
        let text = format!(
            "The interface {name} of this computer has a shaper ({queue}) already: keep it, and give \
             its class a fair queue in place of its FIFO (PARENT is that class, as `tc` shows it):"
        );
        let fair = format!("sudo tc qdisc replace dev {name} parent PARENT fq_codel");
        return remark(Claim::KeepShaper, text, look().into_iter().chain([fair]).collect());
    }
    if FAIR.contains(&queue) {
        let text = format!(
            "The interface {name} of this computer has a fair queue ({queue}) already: packets \
             wait in its driver or device, or directly behind it."
        );
        return remark(Claim::BelowFairQueue, text, look());
    }
    if queue.is_empty() {
        let text = format!("Give this computer's interface a fair queue. {WITHOUT_DELETING}");
        return remark(Claim::FairQueue, text, commands::careful("fq_codel").into());
    }
    let text = format!(
        "Give the interface {name} of this computer a fair queue, in place of the present queue \
         ({}):",
        printable(queue)
    );
    remark(Claim::FairQueue, text, commands::fresh(&name, "fq_codel").into())
}

/// The advice where it is not known which queue the interface has.
const WITHOUT_DELETING: &str = "DEVICE is its interface to the router. The first command shows the \
     present queue. The second command replaces the system's default queue; it fails if somebody \
     has set a queue or a shaper on purpose. Then keep that one, and change it:";

/// The advice to shape these directions, on the router or, for a queue before it, on this computer.
fn shaping(directions: &[&Bloated<'_>], interface: Option<&OwnInterface>) -> Vec<Remark> {
    let known =
        directions.iter().filter_map(|one| Some((one.heading, line_rate(one.direction)?, *one)));
    let (here, router): (Vec<_>, Vec<_>) = known.partition(|(.., one)| one.is_before_router());
    let lines = |of: &[(Heading, Rate, &Bloated<'_>)]| -> Vec<(Heading, Rate)> {
        of.iter().map(|(heading, line, _)| (*heading, *line)).collect()
    };
    let (here, router) = (lines(&here), lines(&router));
    let is_at_server = directions.iter().any(|one| one.is_at_server());
    let far = if is_at_server { "the server, or on a router before it" } else { "the router" };
    let is_alone = directions.iter().any(|one| one.server == Some(1));
    let near = if is_alone { "this computer" } else { "this computer, before your router" };
    let mut advice = shaped(&router, LinkKind::named(ROUTER_LINK), far);
    advice.extend(shaped(&here, None, near));
    advice.extend((!router.is_empty()).then(|| plan_for_router(&router)));
    advice.extend((!here.is_empty()).then(|| plan_for_here(&here, interface)));
    if !advice.is_empty() && directions.iter().any(|one| varies(one.direction)) {
        advice.push(Remark::new(
            Claim::FollowRate,
            "The rate varies, and a fixed shaper cannot follow it: set the shaper to the lowest \
             rate that you see, or let cake-autorate set it.",
        ));
    }
    advice
}

/// The kind of line in the command for a router.
const ROUTER_LINK: &str = "docsis";

/// The advice to shape these directions: to the rates of the plan that [`plan_for_router`] or
/// [`plan_for_here`] prints.
fn shaped(lines: &[(Heading, Rate)], link: Option<&'static LinkKind>, place: &str) -> Vec<Remark> {
    let named = |wanted| lines.iter().find(|(heading, _)| *heading == wanted);
    let named = [Heading::Up, Heading::Down].map(|it| Some(remedy::rounded(named(it)?.1)));
    let plan = Prescription::of(None, named, &Wishes { link, ..Wishes::default() });
    let of = |heading| plan.shapers().find(move |shaper| shaper.heading == heading);
    let shapers = lines.iter().filter_map(|(heading, _)| of(*heading));
    let shape = |shaper: &remedy::Shaper| {
        let mbit = shaper.planned_exactly().expected.rate_mbit;
        let text = format!(
            "Shape the {} to {} of packets with CAKE on {place}, a little below the line's {}. The \
             queue then forms where CAKE keeps it short.",
            shaper.heading.in_words(),
            rate(mbit),
            rate(shaper.line.as_mbit_f64())
        );
        Remark { rate_mbit: Some(mbit), ..Remark::of(Claim::Shape, shaper.heading, text) }
    };
    shapers.map(shape).collect()
}

/// The command that prints the commands for a router.
fn plan_for_router(lines: &[(Heading, Rate)]) -> Remark {
    let command = format!("unbloat fix {} --for openwrt --link {ROUTER_LINK}", options(lines));
    Remark {
        commands: vec![command],
        ..Remark::new(
            Claim::Plan,
            "This command prints what to type on the router (here OpenWrt and a cable line), and \
             how to take it back. CAKE's own setting there is a little higher, because CAKE also \
             counts the framing. `unbloat fix --help` lists the other systems and kinds of lines:",
        )
    }
}

/// The command that prints the commands for this computer.
fn plan_for_here(lines: &[(Heading, Rate)], interface: Option<&OwnInterface>) -> Remark {
    let device = interface.map_or_else(|| "DEVICE".to_owned(), |own| printable(&own.name));
    let command = format!("unbloat fix {} --for tc --wan {device}", options(lines));
    Remark {
        commands: vec![command],
        ..Remark::new(
            Claim::Plan,
            "This command prints what to type on this computer, if systemd runs there, and how to \
             take it back. CAKE's own setting there is a little higher, because CAKE also counts \
             the framing. `unbloat fix --help` lists the other systems:",
        )
    }
}

/// The rates of the line as options of `unbloat fix`.
fn options(lines: &[(Heading, Rate)]) -> String {
    let option = |(heading, line): &(Heading, Rate)| {
        let name = match heading {
            Heading::Up => "--up",
            Heading::Down => "--down",
        };
        format!("{name} {}", remedy::rounded(*line))
    };
    lines.iter().map(option).collect::<Vec<_>>().join(" ")
}

fn varies(direction: &LoadedDirection) -> bool {
    direction.queue.is_some_and(|queue| queue.kind == QueueKind::VariableRate)
}

#[cfg(test)]
mod tests {
    use results::Buffer;

    use super::*;

    #[test]
    fn the_plan_has_the_rate_of_the_line() {
        let at = |mbit| {
            let rate_mbit = Some(mbit);
            let direction = LoadedDirection { rate_mbit, ..LoadedDirection::default() };
            line_rate(&direction).map(|line| options(&[(Heading::Up, line)]))
        };
        let expected = [
            (2.0, "2mbit"),
            (19.98, "19.9mbit"),
            (19.999, "20mbit"),
            (940.0, "940mbit"),
            (0.064, "64kbit"),
        ];
        for (mbit, rate) in expected {
            assert_eq!(at(mbit), Some(format!("--up {rate}")), "{mbit} Mbit/s");
        }
        // The buffer drains at 20 Mbit/s, and the load filled the line half of the time.
        let buffer =
            Buffer { bytes: Some(262_144.0), full_ms: Some(104.857_6), ..Buffer::default() };
        let buffer = Some(buffer);
        let starved = LoadedDirection { rate_mbit: Some(10.0), buffer, ..Default::default() };
        let both =
            [(Heading::Up, line_rate(&starved).unwrap()), (Heading::Down, Rate::from_mbit(50))];
        assert_eq!(options(&both), "--up 20mbit --down 50mbit");
        for mbit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(at(mbit), None, "{mbit} Mbit/s");
        }
    }
}
