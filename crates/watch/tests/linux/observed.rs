//! What is seen of targets behind real routers.

use std::collections::BTreeMap;

use observation::ProbeOutcome;
use results::{SpikeEvidence, WatchGap};
use watch::News;

use super::line::{CLIENT, ROUTER, SERVER, at, line, listener, mend, pause, served, watched};

/// The number of answered probes and of others, by the name of what was probed.
fn counted(names: &[String], news: &[News]) -> BTreeMap<String, (u32, u32)> {
    let mut counted = BTreeMap::new();
    for it in news {
        let News::Probe(index, probe) = it else { continue };
        let counts: &mut (u32, u32) = counted.entry(names[*index].clone()).or_default();
        match probe.outcome {
            ProbeOutcome::Answered { .. } => counts.0 += 1,
            _ => counts.1 += 1,
        }
    }
    counted
}

pub(crate) fn each_kind_of_target_answers() {
    let chain = line();
    let (_open, address) = listener(&chain, SERVER);
    let closed = format!("tcp:{}:1", at(SERVER));
    let targets = [at(SERVER).to_string(), format!("tcp:{address}"), closed];
    let (names, news) = watched(&chain, &targets, |_| pause(3_000));
    let counted = counted(&names, &news);
    for name in
        targets.iter().map(String::as_str).chain(["this machine", "hop 1", "hop 2", "hop 3"])
    {
        let (answered, others) = counted[name];
        let least = if name.starts_with("hop") || name == "this machine" { 2 } else { 20 };
        assert!(answered >= least && others == 0, "{name}: {counted:?}");
    }
    let hops: Vec<_> = news
        .iter()
        .filter_map(|it| match it {
            News::Address(index, address) if names[*index].starts_with("hop") => {
                Some((names[*index].clone(), *address))
            }
            _ => None,
        })
        .collect();
    // A router answers from the side at which the probe came in.
    let expected = [1, 2, 3].map(|hop| (format!("hop {hop}"), at(hop)));
    assert!(expected.iter().all(|it| hops.contains(it)), "{hops:?}");
}

/// What was lost before a gap stays lost, and what is sent in it is no spike: a modem that fails, and is then switched
/// off.
pub(crate) fn what_was_awaited_long_before_a_gap_is_lost() {
    let chain = line();
    let target = at(SERVER).to_string();
    let (_, news) = watched(&chain, &[target], |chain| {
        pause(2_500);
        chain.cut(SERVER, "left");
        pause(8_000);
        // The link of the client has no carrier any more, and keeps its routes.
        chain.cut(ROUTER, "left");
        pause(2_000);
    });
    let is_lost = |it: &&News| {
        let News::Probe(0, probe) = it else { return false };
        probe.outcome == ProbeOutcome::Lost
    };
    assert!(news.iter().filter(is_lost).count() > 5, "{news:?}");
    let spikes: Vec<_> = news
        .iter()
        .filter_map(|it| match it {
            News::Spike { spike, .. } => Some(spike),
            _ => None,
        })
        .collect();
    let [spike] = spikes[..] else { panic!("{spikes:?}") };
    assert!(spike.lost > 2 && spike.evidence.contains(&SpikeEvidence::Gap), "{spike:?}");
    let ongoing = news.iter().rev().find_map(|it| match it {
        News::Ongoing(ongoing) => Some(ongoing.is_some()),
        _ => None,
    });
    assert_eq!(ongoing, Some(false));
}

/// Without a way out nothing is lost: it is a gap, also for a server of ours, whose session ends with the route.
pub(crate) fn a_cable_that_is_pulled_is_a_gap() {
    let chain = line();
    let target = at(SERVER).to_string();
    let (names, news) = served(&chain, SERVER, |server| {
        let targets = [target.clone(), at(ROUTER).to_string(), format!("server:{server}")];
        watched(&chain, &targets, |chain| {
            pause(2_500);
            chain.cut(CLIENT, "right");
            pause(3_000);
            mend(chain);
            pause(4_000);
        })
    });
    let lost = |it: &&News| {
        matches!(it, News::Probe(_, probe) if probe.outcome.round_trip().is_none())
            || matches!(it, News::Spike { .. })
    };
    assert_eq!(news.iter().find(lost), None);
    let gaps: Vec<_> = news
        .iter()
        .filter_map(|it| match it {
            News::Gap { reason, duration, .. } => Some((*reason, duration.as_secs_f64())),
            _ => None,
        })
        .collect();
    let [(WatchGap::Disconnected, seconds)] = gaps[..] else { panic!("{gaps:?}") };
    assert!((2.5..4.5).contains(&seconds), "{seconds}");
    let after = counted(&names, &news[news.len() - 40..]);
    assert!(after[&target].0 > 5, "{after:?}");
}
