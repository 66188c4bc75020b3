//! The delay by which runs are compared, as bars side by side.

use results::{Document, FlowKind, FlowResult};

use super::purpose::{Purpose, Stream};
use crate::number::{duration, significant};
use crate::page::{Strip, StripBar};
use crate::scene::{MOST, Run};
use crate::text::printable;

/// The strip for this purpose; `None` for a single run, and if a run has no such delay.
pub(crate) fn strip(runs: &[Run<'_>], purpose: Purpose) -> Option<Strip> {
    let name = flow(runs, purpose);
    let bars = runs.iter().take(MOST).map(|run| bar(run, purpose, name));
    let bars: Vec<StripBar> = bars.collect::<Option<_>>()?;
    (runs.len() > 1).then(|| Strip {
        title: title(runs, purpose, name.unwrap_or_default()),
        explanation:
            "The strong colour ends at the median: half of all values are at most as long. The weak \
             colour ends at the 95th percentile. Each vertical line stands for ten times as long as \
             the one before."
                .into(),
        bars,
    })
}

/// The flow that has the delay: the one that is worst in any run. `None` for the delay of a queue.
fn flow<'a>(runs: &[Run<'a>], purpose: Purpose) -> Option<&'a str> {
    let flows = || runs.iter().flat_map(|run| &run.document.flows);
    let worst = |badness: fn(&FlowResult) -> Option<f64>| {
        let known = flows().filter_map(|(name, flow)| Some((name, badness(flow)?)));
        known.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(name, _)| name.as_str())
    };
    match purpose {
        Purpose::Call => worst(|flow| flow.mos.map(|mos| -mos)),
        Purpose::Page => {
            worst(|flow| flow.completion_s.filter(|_| flow.kind == FlowKind::Page)?.p95)
        }
        Purpose::Ping => {
            flows().find(|(_, flow)| flow.kind == FlowKind::Ping).map(|(name, _)| name.as_str())
        }
        Purpose::Stream => Stream::of(runs).map(|stream| stream.name),
        Purpose::Others | Purpose::Queue => None,
    }
}

fn title(runs: &[Run<'_>], purpose: Purpose, flow: &str) -> String {
    let flow = printable(flow);
    match purpose {
        Purpose::Call => format!("How long a packet of {flow} takes"),
        Purpose::Stream => format!("How long a packet of {flow} takes"),
        Purpose::Page => format!("How long {flow} takes to load"),
        Purpose::Ping => format!("How long {flow} waits for an answer"),
        Purpose::Others | Purpose::Queue => {
            let place = runs.iter().find_map(|run| run.place);
            let place = place.map(|place| place.words()).unwrap_or_default();
            match purpose {
                Purpose::Others => format!("How long others wait at {place}"),
                _ => format!("How long packets wait at {place}"),
            }
        }
    }
}

fn bar(run: &Run<'_>, purpose: Purpose, flow: Option<&str>) -> Option<StripBar> {
    let (p50_ms, p95_ms) = delay(run, purpose, flow)?;
    let value = match (duration(p50_ms), duration(p95_ms)) {
        (one, other) if one == other => one,
        (p50, p95) => format!("{p50} to {p95}"),
    };
    let score = |document: &Document| document.flows.get(flow?)?.mos;
    let value = match score(run.document).filter(|_| purpose == Purpose::Call) {
        Some(mos) => format!("MOS {}, {value}", significant(mos)),
        None => value,
    };
    Some(StripBar { name: run.label.clone(), p50_ms, p95_ms, value })
}

/// The median and the 95th percentile, in milliseconds.
fn delay(run: &Run<'_>, purpose: Purpose, flow: Option<&str>) -> Option<(f64, f64)> {
    let flow = || run.document.flows.get(flow?);
    let place = || run.place.map(|place| place.direction);
    let (p50, p95) = match purpose {
        Purpose::Call | Purpose::Stream => flow()?.delay_ms.map(|it| (it.p50, it.p95))?,
        Purpose::Ping => flow()?.rtt_ms.map(|it| (it.p50, it.p95))?,
        Purpose::Page => {
            let millis = |seconds: Option<f64>| seconds.map(|it| it * 1e3);
            flow()?.completion_s.map(|it| (millis(it.p50), millis(it.p95)))?
        }
        Purpose::Others => place().map(|it| (it.others_wait_ms.p50, it.others_wait_ms.p95))?,
        Purpose::Queue => place().map(|it| (it.sojourn_ms.p50, it.sojourn_ms.p95))?,
    };
    p50.zip(p95)
}
