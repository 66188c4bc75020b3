//! The shapers of a plan, from the plan's own words.

use observation::Heading;
use results::Plan;

/// A shaper on the router, as a link of a scenario has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shaping {
    /// The queue in the words of `tc`.
    pub(super) queue: String,
    /// The rate of a shaper before which the queue stands, in kbit/s; `None` if the queue shapes.
    pub(super) kilobits: Option<u64>,
}

/// The shaper of a direction, as the commands of this plan set it up; `None` if they set up none.
///
/// # Panics
/// If the plan is not one for `tc`, VyOS or OPNsense, or its commands have other words than those of
/// crate `routers`.
pub(super) fn shaping(plan: &Plan, heading: Heading) -> Option<Shaping> {
    let lines = || plan.steps.iter().flat_map(|step| &step.commands).map(String::as_str);
    match plan.platform.as_str() {
        "tc" => tc(lines(), heading),
        "vyos-1.5" => vyos(lines(), heading),
        "opnsense" => opnsense(lines(), heading),
        other => panic!("no words of {other} are known"),
    }
}

/// `tc qdisc add dev "$wan" root cake ...`, and the same of `$ifb` for the download.
fn tc<'a>(mut lines: impl Iterator<Item = &'a str>, heading: Heading) -> Option<Shaping> {
    let device = if heading == Heading::Up { "\"$wan\" root " } else { "\"$ifb\" root " };
    let queue =
        lines.find_map(|line| line.split_once(device).filter(|(_, it)| it.starts_with("cake")))?.1;
    Some(Shaping { queue: queue.trim_end_matches(" &&").to_owned(), kilobits: None })
}

/// `set qos policy cake UNBLOAT-UP bandwidth 1900kbit`, which VyOS 1.5 turns into words of tc
/// (vyos-1x, `python/vyos/qos/cake.py`).
fn vyos<'a>(lines: impl Iterator<Item = &'a str>, heading: Heading) -> Option<Shaping> {
    let policy = if heading == Heading::Up { " cake UNBLOAT-UP " } else { " cake UNBLOAT-DOWN " };
    let words = lines.filter_map(|line| {
        let set = line.split_once(policy)?.1;
        let (key, value) = set.split_once(' ').unwrap_or((set, ""));
        Some(match (key, value) {
            ("bandwidth", rate) => format!("bandwidth {rate}"),
            ("rtt", millis) => format!("rtt {millis}ms"),
            ("flow-isolation", "dual-src-host") => "dual-srchost".to_owned(),
            ("flow-isolation", "dual-dst-host") => "dual-dsthost".to_owned(),
            ("flow-isolation-nat", "") => "nat".to_owned(),
            ("ack-filter", "") => "ack-filter".to_owned(),
            _ => panic!("`{line}` is not known"),
        })
    });
    let words: Vec<String> = words.collect();
    let queue = format!("cake {}", words.join(" "));
    (!words.is_empty()).then_some(Shaping { queue, kilobits: None })
}

/// `Pipes > add: bandwidth 1900 Kbit/s, scheduler FlowQueue-CoDel, ..., target 5, interval 100,
/// quantum 300, limit 1000, flows 1024, description unbloat-up`.
fn opnsense<'a>(mut lines: impl Iterator<Item = &'a str>, heading: Heading) -> Option<Shaping> {
    let name = if heading == Heading::Up { "unbloat-up" } else { "unbloat-down" };
    let pipe = lines.find(|line| line.starts_with("Pipes") && line.contains(name))?;
    let number = |key: &str| -> u64 {
        let rest = pipe.split_once(&format!("{key} ")).unwrap_or_else(|| panic!("{key}: {pipe}")).1;
        let digits = rest.split(|it: char| !it.is_ascii_digit()).next().unwrap_or_default();
        digits.parse().unwrap_or_else(|_| panic!("{key}: {pipe}"))
    };
    let queue = format!(
        "fq_codel target {}ms interval {}ms quantum {} limit {} flows {} ecn",
        number("target"),
        number("interval"),
        number("quantum"),
        number("limit"),
        number("flows")
    );
    Some(Shaping { queue, kilobits: Some(number("bandwidth")) })
}

#[cfg(test)]
mod tests {
    use remedy::{LinkKind, Prescription, Wishes};
    use routers::Platform;

    use super::*;

    fn plan(platform: &str) -> Plan {
        let rates = [Some("2mbit".parse().unwrap()), Some("30mbit".parse().unwrap())];
        let wishes = Wishes { link: LinkKind::named("docsis"), ..Wishes::default() };
        let prescription = Prescription::of(None, rates, &wishes);
        Platform::named(platform).unwrap().plan(&prescription, Some("eth0")).unwrap()
    }

    #[test]
    fn the_words_of_each_platform_are_found() {
        let tc = shaping(&plan("tc"), Heading::Down).unwrap();
        assert_eq!(
            tc.queue,
            "cake bandwidth 28800kbit besteffort dual-dsthost nat wash no-ack-filter ingress \
             rtt 100ms overhead 18 mpu 64 noatm"
        );
        let vyos = shaping(&plan("vyos-1.5"), Heading::Up).unwrap();
        assert!(vyos.queue.starts_with("cake bandwidth 18"), "{}", vyos.queue);
        assert!(vyos.queue.ends_with("rtt 100ms dual-srchost nat ack-filter"), "{}", vyos.queue);
        let opnsense = shaping(&plan("opnsense"), Heading::Up).unwrap();
        assert_eq!(
            opnsense.queue,
            "fq_codel target 11ms interval 106ms quantum 300 limit 1000 flows 1024 ecn"
        );
        assert!(opnsense.kilobits.is_some_and(|rate| (1600..1800).contains(&rate)));
    }
}
