//! Measurements beside the load, and the processor load of both machines: in sentences, and as
//! tables.

use results::{
    Call, CallDirection, Claim, DelaySpread, Measurement, PageLoads, ProcessorLoad, Processors,
    Remark,
};

use crate::grade::MANY_DROPS;
use crate::grid::{Cell, Column, Grid};
use crate::number::{duration, fixed, millis, percent, significant};
use crate::page::PageTable;
use crate::style::Tone;
use crate::text::printable;

const CALL: [Column; 9] = [
    Column::name("a call"),
    Column::number("one way ms", "p50"),
    Column::number("one way ms", "p95"),
    Column::number("one way ms", "max"),
    Column::number("jitter ms", "p50"),
    Column::number("jitter ms", "p95"),
    Column::number("jitter ms", "max"),
    Column::number("loss", "%"),
    Column::number("", "MOS"),
];

const PAGE: [Column; 6] = [
    Column::name("a page"),
    Column::number("idle", "s"),
    Column::number("loaded s", "p50"),
    Column::number("loaded s", "p95"),
    Column::number("", "loads"),
    Column::number("never", "came"),
];

const PROCESSORS: [Column; 3] = [
    Column::name("machine"),
    Column::number("busiest processor", "%"),
    Column::number("the test's part", "%"),
];

/// The remarks about a call and a page.
pub(super) fn remarks(measurement: &Measurement) -> impl Iterator<Item = Remark> {
    let call = measurement.call.as_ref().and_then(call);
    let page = measurement.page.as_ref().and_then(page);
    let call = call.map(|text| Remark::new(Claim::CallFrames, text));
    call.into_iter().chain(page.map(|text| Remark::new(Claim::PageLoads, text)))
}

fn call(call: &Call) -> Option<String> {
    let way = |name: &str, way: &CallDirection| {
        let p95 = duration(way.delay_ms.p95?);
        let jitter = way.jitter_ms.p95.map(|jitter| format!("jitter {}", duration(jitter)));
        let lost = way.loss.map(|loss| format!("{} % lost", percent(loss)));
        let more: Vec<String> = jitter.into_iter().chain(lost).collect();
        Some(format!("{p95} {name} ({})", more.join(", ")))
    };
    let ways = [way("in the upload", &call.upload), way("in the download", &call.download)];
    let ways: Vec<String> = ways.into_iter().flatten().collect();
    let class = printable(&call.class);
    (!ways.is_empty()).then(|| {
        format!(
            "Of a call's frames, marked {class}, 95 of 100 took less than {}.",
            ways.join(" and ")
        )
    })
}

fn page(page: &PageLoads) -> Option<String> {
    let seconds = |seconds: f64| duration(seconds * 1e3);
    let idle = page.idle_s.map(|idle| format!(", and {} when idle", seconds(idle)));
    let never = match page.failed {
        0 => String::new(),
        failed => format!("; {failed} of {} never loaded", page.loads),
    };
    let loaded = match (page.p50_s, page.p95_s) {
        (Some(p50), Some(p95)) => format!("took {} (p95 {})", seconds(p50), seconds(p95)),
        (Some(p50), None) => format!("took {}", seconds(p50)),
        _ if page.loads > 0 => "mostly never loaded".into(),
        _ => return None,
    };
    let idle = idle.unwrap_or_default();
    Some(format!("A page of {} {loaded} under load{idle}{never}.", parts(page)))
}

/// The parts of a page in words: `2 parts of 40 kB`.
fn parts(page: &PageLoads) -> String {
    format!("{} parts of {} kB", page.objects, fixed(page.object_bytes as f64 / 1e3, 0))
}

/// The tables, each with its title and its explanation; none for what was not measured.
pub(super) fn grids(
    measurement: &Measurement,
) -> impl Iterator<Item = (&'static str, &'static str, Grid)> {
    const CALLS: &str = "A frame of G.711 each 20 ms in both directions, while the line was loaded. \
         One way is half of the least round trip plus the time that frames waited. Jitter is that of \
         RFC 3550 section 6.4.1. MOS says how good a call sounds, from 1 to 4.5 (E-model).";
    const PAGES: &str = "The same page, loaded again a second after it was complete. Each part has a \
         new connection, one after the other.";
    const MACHINES: &str = "While the line was loaded. The busiest processor was at most this busy in \
         nine of ten samples. The test's part is the mean, of one processor.";
    let call = measurement.call.as_ref().map(|call| ("A call", CALLS, call_grid(call)));
    let page = measurement.page.as_ref().map(|page| ("A page", PAGES, page_grid(page)));
    let busy = measurement.processors.as_ref();
    let busy = busy.map(|busy| ("Processors", MACHINES, processors_grid(busy)));
    call.into_iter().chain(page).chain(busy)
}

/// The tables of [`grids`], for the page.
pub(super) fn tables(measurement: &Measurement) -> impl Iterator<Item = PageTable> {
    grids(measurement).map(|(title, explanation, grid)| grid.table(title, explanation))
}

fn call_grid(call: &Call) -> Grid {
    let mut grid = Grid::new(&CALL);
    for (name, way) in [("download", &call.download), ("upload", &call.upload)] {
        let DelaySpread { p50, p95, max, .. } = way.delay_ms;
        let jitter = way.jitter_ms;
        let lossy = way.loss.is_some_and(|loss| loss >= MANY_DROPS);
        let mut row = vec![Cell::text(name)];
        let times = [p50, p95, max, jitter.p50, jitter.p95, jitter.max];
        row.extend(times.map(|value| Cell::number(value, millis)));
        let loss = Cell::number(way.loss, percent);
        row.push(loss.tone(if lossy { Tone::Bad } else { Tone::Plain }));
        row.push(Cell::number(way.mos, |mos| fixed(mos, 2)));
        grid.row(row);
    }
    grid
}

fn page_grid(page: &PageLoads) -> Grid {
    let mut grid = Grid::new(&PAGE);
    let mut row = vec![Cell::text(&parts(page))];
    let times = [page.idle_s, page.p50_s, page.p95_s];
    row.extend(times.map(|value| Cell::number(value, significant)));
    let counts = [page.loads, page.failed];
    row.extend(counts.map(|count| Cell::number(Some(count), |count| count.to_string())));
    grid.row(row);
    grid
}

fn processors_grid(processors: &Processors) -> Grid {
    let mut grid = Grid::new(&PROCESSORS);
    for (name, busy) in [("this one", processors.client), ("the server", processors.server)] {
        let ProcessorLoad { busiest, own } = busy;
        let part = |value| Cell::number(value, |part: f64| fixed(part * 100.0, 0));
        grid.row(vec![Cell::text(name), part(busiest), part(own)]);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Style;

    fn measured() -> Measurement {
        let way = |p95| CallDirection {
            delay_ms: DelaySpread { p50: Some(30.0), p95: Some(p95), ..DelaySpread::default() },
            jitter_ms: DelaySpread { p95: Some(2.5), ..DelaySpread::default() },
            loss: Some(0.004),
            mos: Some(4.2),
        };
        let call = Call { class: "EF".into(), download: way(35.0), upload: way(1048.0) };
        let page = PageLoads {
            objects: 2,
            object_bytes: 40_000,
            idle_s: Some(0.121),
            p50_s: Some(1.94),
            p95_s: None,
            loads: 20,
            failed: 2,
        };
        let client = ProcessorLoad { busiest: Some(0.42), own: Some(0.06) };
        let processors = Some(Processors { client, server: ProcessorLoad::default() });
        Measurement { call: Some(call), page: Some(page), processors, ..Measurement::default() }
    }

    fn sentences(measurement: &Measurement) -> Vec<String> {
        remarks(measurement).map(|remark| remark.text).collect()
    }

    #[test]
    fn a_call_and_a_page_in_words() {
        assert_eq!(
            sentences(&measured()),
            [
                "Of a call's frames, marked EF, 95 of 100 took less than 1.05 s in the upload \
                 (jitter 2.5 ms, 0.4 % lost) and 35 ms in the download (jitter 2.5 ms, 0.4 % lost).",
                "A page of 2 parts of 40 kB took 1.94 s under load, and 121 ms when idle; 2 \
                 of 20 never loaded."
            ]
        );
        assert_eq!(sentences(&Measurement::default()), [""; 0]);
    }

    #[test]
    fn what_was_not_measured_has_no_value_in_its_table() {
        let measured = measured();
        let shown = |(.., grid): (_, _, Grid)| grid.render(Style::default());
        let all: Vec<String> = grids(&measured).map(shown).collect();
        assert_eq!(all.len(), 3);
        let last = |table: &str| table.lines().last().map(|line| line.trim().to_owned());
        assert_eq!(last(&all[2]).as_deref().map(|line| line.ends_with('–')), Some(true), "{all:?}");
        assert_eq!(grids(&Measurement::default()).count(), 0);
    }
}
