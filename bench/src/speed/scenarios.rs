//! The cost of whole simulations: five dumbbells, two of them also with other queues.

use std::io;

use results::FlowKind;
use scenario::{Override, Scenario};
use serde::Serialize;

use crate::child;
use crate::table::{Table, decimals};

/// A dumbbell to be simulated: `client - near - far - server` with a base round trip of 50 ms.
pub(crate) struct Dumbbell {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    file: &'static str,
    /// The queue in place of the file's; `None` to keep that of the file.
    queue: Option<&'static str>,
}

pub(super) const S1: &str = include_str!("../../scenarios/s1.toml");

const fn s1(name: &'static str, about: &'static str, queue: &'static str) -> Dumbbell {
    Dumbbell { name, about, file: S1, queue: Some(queue) }
}

const S3: &str = include_str!("../../scenarios/s3.toml");

const fn s3(name: &'static str, about: &'static str, queue: &'static str) -> Dumbbell {
    Dumbbell { name, about, file: S3, queue: Some(queue) }
}

/// S1 to S5, S1 with other buffers, and S3 with CAKE.
pub(crate) const DUMBBELLS: [Dumbbell; 10] = [
    Dumbbell { name: "S1", about: "1 CUBIC, 10 Mbit/s, pfifo 1000", file: S1, queue: None },
    Dumbbell {
        name: "S2",
        about: "1 CUBIC, 10 Mbit/s, codel",
        file: include_str!("../../scenarios/s2.toml"),
        queue: None,
    },
    Dumbbell {
        name: "S3",
        about: "4 CUBIC, ping and call, 10 Mbit/s, fq_codel",
        file: S3,
        queue: None,
    },
    Dumbbell {
        name: "S4",
        about: "50 CUBIC, 100 Mbit/s, fq_codel",
        file: include_str!("../../scenarios/s4.toml"),
        queue: None,
    },
    Dumbbell {
        name: "S5",
        about: "100 CUBIC, 1 Gbit/s, codel",
        file: include_str!("../../scenarios/s5.toml"),
        queue: None,
    },
    s1("S1-50", "S1 with pfifo 50", "pfifo limit 50"),
    s1("S1-200", "S1 with pfifo 200", "pfifo limit 200"),
    s1("S1-3000", "S1 with pfifo 3000: no loss", "pfifo limit 3000"),
    s3("S3-cake", "S3 with cake, not shaping", "cake"),
    s3("S3-shaping", "S3 with cake, shaping", "cake bandwidth 9900kbit"),
];

/// The number of scenarios with files of their own, S1 to S5; the others only vary these.
pub(crate) const FILES: usize = 5;

/// The scenarios between which the cost per packet must not depend on the window.
const WINDOWS: [&str; 4] = ["S1-50", "S1-200", "S1", "S1-3000"];

/// The least speed asked for in each of S1 to S5, in packets per CPU second.
const LEAST_SPEED: f64 = 4e6;

/// The result and cost of one dumbbell.
#[derive(Serialize)]
pub(crate) struct ScenarioCost {
    name: &'static str,
    about: &'static str,
    simulated_s: f64,
    pub(crate) goodput_mbit: f64,
    pub(crate) sojourn_p50_ms: Option<f64>,
    pub(crate) sojourn_p95_ms: Option<f64>,
    pub(crate) drops: u64,
    pub(crate) bottleneck_packets: u64,
    pub(crate) cpu_s: f64,
    pub(crate) packets_per_cpu_s: f64,
    pub(crate) events_per_packet: f64,
    pub(crate) peak_rss_mb: Option<f64>,
}

/// Runs all dumbbells, each `repeats` times.
pub(crate) fn measure(repeats: u32) -> Result<Vec<ScenarioCost>, String> {
    DUMBBELLS.iter().map(|dumbbell| dumbbell.cost(repeats, None)).collect()
}

impl Dumbbell {
    /// The scenario of the file, optionally with another length.
    pub(crate) fn scenario(&self, seconds: Option<u32>) -> Result<Scenario, String> {
        let set = |path: &str, value: String| Override { path: path.into(), value };
        let queue = self.queue.map(|queue| set("link.bottleneck.queue", queue.into()));
        let duration = seconds.map(|seconds| set("duration", format!("{seconds}s")));
        let overrides: Vec<Override> = queue.into_iter().chain(duration).collect();
        parse(self.file, self.name, &overrides)
    }

    /// The cost of the run with the least processor time of `repeats` runs.
    pub(crate) fn cost(&self, repeats: u32, seconds: Option<u32>) -> Result<ScenarioCost, String> {
        let simulated_s = self.scenario(seconds)?.duration.as_secs_f64();
        let length = seconds.map(|seconds| seconds.to_string());
        let arguments = ["child", self.name].into_iter().chain(length.as_deref());
        let best = child::cheapest(&arguments.collect::<Vec<_>>(), repeats)?;
        let bottleneck =
            &best.links.get("bottleneck").ok_or("the scenario has no bottleneck")?.forward;
        let packets = best.cost.bottleneck_packets;
        let tcp = best.flows.values().filter(|flow| flow.kind == FlowKind::Bulk);
        Ok(ScenarioCost {
            name: self.name,
            about: self.about,
            simulated_s,
            goodput_mbit: tcp.filter_map(|flow| flow.goodput_mbit).sum(),
            sojourn_p50_ms: bottleneck.sojourn_ms.p50,
            sojourn_p95_ms: bottleneck.sojourn_ms.p95,
            drops: bottleneck.drops.total(),
            bottleneck_packets: packets,
            cpu_s: child::cpu_s(&best),
            packets_per_cpu_s: packets as f64 / child::cpu_s(&best),
            events_per_packet: best.cost.events as f64 / packets as f64,
            peak_rss_mb: best.cost.peak_rss_mb,
        })
    }
}

/// The file with these changes.
pub(super) fn parse(file: &str, name: &str, overrides: &[Override]) -> Result<Scenario, String> {
    let no_trace = |_: &str| Err(io::Error::other("no traces here"));
    Scenario::parse(file, name, overrides, &no_trace).map_err(|error| error.to_string())
}

/// The costs side by side.
pub(crate) fn table(costs: &[ScenarioCost]) -> Table {
    let mut table = Table::new(
        2,
        &[
            "scenario",
            "",
            "goodput Mbit/s",
            "sojourn p50 ms",
            "p95 ms",
            "drops",
            "packets",
            "CPU s",
            "10^6 packets/CPU s",
            "x S1",
            "x real time",
            "events/packet",
            "peak MB",
        ],
    );
    let Some(first) = costs.first() else { return table };
    for cost in costs {
        table.row(vec![
            cost.name.into(),
            cost.about.into(),
            format!("{:.2}", cost.goodput_mbit),
            decimals(cost.sojourn_p50_ms, 1),
            decimals(cost.sojourn_p95_ms, 1),
            cost.drops.to_string(),
            cost.bottleneck_packets.to_string(),
            format!("{:.4}", cost.cpu_s),
            format!("{:.2}", cost.packets_per_cpu_s / 1e6),
            format!("{:.2}", cost.packets_per_cpu_s / first.packets_per_cpu_s),
            format!("{:.0}", cost.simulated_s / cost.cpu_s),
            format!("{:.2}", cost.events_per_packet),
            decimals(cost.peak_rss_mb, 1),
        ]);
    }
    table
}

/// A sentence on whether S1 to S5 are as fast as asked for.
pub(crate) fn verdict(costs: &[ScenarioCost]) -> String {
    let slow = costs.iter().take(FILES).filter(|cost| cost.packets_per_cpu_s < LEAST_SPEED);
    let slow: Vec<&str> = slow.map(|cost| cost.name).collect();
    let word = match slow.is_empty() {
        true => "met".into(),
        false => format!("not met by {}", slow.join(", ")),
    };
    format!(
        "Asked for at least {:.0} million packets per CPU second in each of S1 to S5: {word}.",
        LEAST_SPEED / 1e6
    )
}

/// A sentence on how the speed depends on the window.
pub(crate) fn flatness(costs: &[ScenarioCost]) -> String {
    let windows = costs.iter().filter(|cost| WINDOWS.contains(&cost.name));
    let speeds = windows.map(|cost| cost.packets_per_cpu_s);
    let (slowest, fastest) = speeds
        .fold((f64::INFINITY, 0.0_f64), |(low, high), speed| (low.min(speed), high.max(speed)));
    format!(
        "From a buffer of 50 packets to one of 3000 the slowest makes {:.0} % of the packets per \
         CPU second of the fastest.",
        100.0 * slowest / fastest
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_names_what_is_slow_among_s1_to_s5() {
        let cost = |dumbbell: &Dumbbell, packets_per_cpu_s| ScenarioCost {
            name: dumbbell.name,
            about: dumbbell.about,
            simulated_s: 60.0,
            goodput_mbit: 9.6,
            sojourn_p50_ms: None,
            sojourn_p95_ms: None,
            drops: 0,
            bottleneck_packets: 50_000,
            cpu_s: 0.01,
            packets_per_cpu_s,
            events_per_packet: 6.0,
            peak_rss_mb: None,
        };
        let speeds = [5e6, 4e6, 3.9e6, 4.2e6, 3e6, 1e6];
        let costs: Vec<_> =
            DUMBBELLS.iter().zip(speeds).map(|(it, speed)| cost(it, speed)).collect();
        assert!(verdict(&costs).ends_with("not met by S3, S5."), "{}", verdict(&costs));
        assert!(verdict(&costs[..2]).ends_with(": met."), "{}", verdict(&costs[..2]));
    }

    #[test]
    fn the_scenarios_are_as_asked() {
        for dumbbell in &DUMBBELLS {
            let scenario = dumbbell.scenario(None).unwrap();
            let delay: f64 =
                scenario.links.iter().map(|l| l.directions.forward.delay.as_millis_f64()).sum();
            assert_eq!(delay, 25.0, "{}", dumbbell.name);
        }
        for name in WINDOWS {
            assert!(DUMBBELLS.iter().any(|dumbbell| dumbbell.name == name), "{name}");
        }
    }
}
