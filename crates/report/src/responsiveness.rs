//! The report of the IETF's responsiveness: a sentence for each direction, then a table.

use results::{
    Confidence, FindingKind, ForeignTimes, IncompleteResponsiveness, LoadedResponsiveness,
    Responsiveness,
};
use stats::finite;

use crate::figure::{Axis, Curve, Figure, Mark};
use crate::grid::{Cell, Column, Grid};
use crate::measurement::LIMITS;
use crate::number::{fixed, millis, significant};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::{printable, wrap, wrap_indented};
use crate::told::Tell;

const COLUMNS: [Column; 11] = [
    Column::name("load"),
    Column::number("", "RPM"),
    Column::number("", "sure"),
    Column::number("trimmed mean ms", "TCP"),
    Column::number("trimmed mean ms", "TLS"),
    Column::number("trimmed mean ms", "HTTP"),
    Column::number("trimmed mean ms", "loaded HTTP"),
    Column::number("goodput", "Mbit/s"),
    Column::number("goodput", "sure"),
    Column::number("", "connections"),
    Column::number("", "probes"),
];

/// The whole measurement as text.
pub fn responsiveness_text(found: &Responsiveness, style: Style) -> String {
    let mut text = String::new();
    for (name, loaded) in directions(found) {
        text += &(style.paint(&wrap(&sentence(name, loaded)), Tone::Title) + "\n");
    }
    let limits = limits(found);
    if !limits.is_empty() {
        text += &format!("\n{LIMITS}:\n");
    }
    for limit in limits {
        text += &(wrap_indented(&limit, "  ") + "\n");
    }
    text += &format!("\n{}\n", wrap(&printable(&facts(found))));
    format!("{text}\n{}", grid(found).render(style))
}

/// A page about a measurement of responsiveness: the sentences, the table, and a plot of the parts
/// of a request.
pub fn responsiveness_page(found: &Responsiveness) -> Page {
    const LOADS: &str = "One row for each load. RPM is round trips a minute during that load: the \
         mean of the RPM of new connections (handshakes of TCP and TLS, and a request) and the RPM \
         of requests on connections that carry the load. Each part is the mean of its fastest 95 \
         %.";
    let sentences = directions(found).map(|(name, loaded)| sentence(name, loaded));
    let facts = printable(&facts(found));
    Page {
        title: format!("responsiveness of {}", printable(&found.url)),
        verdict: sentences.chain(limits(found)).collect(),
        tables: vec![grid(found).table("Responsiveness", LOADS)],
        figures: parts(found).into_iter().collect(),
        notes: vec![
            format!("{facts}."),
            format!("Drawn by unbloat {}.", env!("CARGO_PKG_VERSION")),
        ],
        ..Page::default()
    }
}

/// The plot of the time of each part of a request, by load.
fn parts(found: &Responsiveness) -> Option<Figure> {
    let idle = ("none", found.idle_ms, None);
    let loaded = directions(found).map(|(name, one)| (name, one.foreign_ms, one.loaded_ms));
    let curve = |(name, foreign, loaded): (&str, ForeignTimes, Option<f64>)| {
        let times = [foreign.tcp, foreign.tls, foreign.http, loaded];
        let known = |time: f64| finite(time).filter(|time| *time > 0.0);
        let y: Vec<Option<f64>> = times.map(|time| time.and_then(known)).into();
        let x = (0..y.len()).map(|part| part as f64).collect();
        Curve { name: name.into(), mark: Mark::LinePoints, x, y, ..Curve::default() }
    };
    let curves: Vec<Curve> = [idle].into_iter().chain(loaded).map(curve).collect();
    let is_known = curves.iter().any(|curve| curve.y.iter().any(Option::is_some));
    is_known.then(|| Figure {
        id: "parts".into(),
        title: "What a request waits for".into(),
        explanation: "How long the handshakes of a new connection, a request on it, and a request \
                      on a connection that carries the load take, during each load. The best \
                      curves under load lie on the curve of the idle path."
            .into(),
        x: Axis::named("Part of a request", ["TCP", "TLS", "HTTP", "loaded HTTP"]),
        y: Axis::log("Trimmed mean", "ms"),
        curves,
    })
}

/// Part of the time from which a processor is too busy, 0 to 1, as in `unbloat test`.
const BUSY: f64 = 0.9;

/// Lateness, in milliseconds, above which this program has too little processor time.
const TOO_LATE_MS: f64 = 10.0;

/// The limits of the test itself, in sentences.
fn limits(found: &Responsiveness) -> Vec<String> {
    let all = || directions(found).map(|(_, loaded)| loaded);
    let largest = |part: fn(&LoadedResponsiveness) -> Option<f64>| {
        all().filter_map(part).filter(|part| part.is_finite()).reduce(f64::max)
    };
    let is_late = largest(|loaded| loaded.late_ms).is_some_and(|late| late > TOO_LATE_MS);
    let matters = is_late || all().any(|loaded| machine_limit(loaded).is_some());
    let busy = largest(|loaded| loaded.processor.busiest).filter(|part| matters && *part > BUSY);
    let busy = busy.map(|part| {
        let percent = fixed(part * 100.0, 0);
        format!(
            "A processor of this computer was {percent} % busy: the result may reflect it rather than the line."
        )
    });
    partial(found).as_deref().map(printable).into_iter().chain(busy).collect()
}

/// The reason why the measurement is incomplete, as a sentence; if it is not there as data, the
/// sentence that the document has. `None` if the measurement is complete.
fn partial(found: &Responsiveness) -> Option<String> {
    let sentence = |reason: &IncompleteResponsiveness| match reason {
        IncompleteResponsiveness::Interrupted => "It was stopped.".into(),
        IncompleteResponsiveness::LoadFailed { error } => format!("The load broke off: {error}."),
    };
    found.partial_reason.as_ref().map(sentence).or_else(|| found.partial.clone())
}

impl Tell for Responsiveness {
    fn tell(&mut self) {
        self.partial = partial(self);
    }
}

/// The way in which this computer was the limit of the test, as a clause; `None` if it was not.
fn machine_limit(loaded: &LoadedResponsiveness) -> Option<String> {
    let limit = loaded.findings.iter().find(|one| one.kind == FindingKind::MachineLimits)?;
    let late = limit.amount.and_then(finite);
    Some(late.map_or_else(
        || "its processor was full".into(),
        |late| format!("it came {} ms late to its probes", millis(late)),
    ))
}

fn directions(found: &Responsiveness) -> impl Iterator<Item = (&str, &LoadedResponsiveness)> {
    let all = [("download", &found.download), ("upload", &found.upload)];
    all.into_iter().filter_map(|(name, loaded)| Some((name, loaded.as_ref()?)))
}

fn sentence(name: &str, loaded: &LoadedResponsiveness) -> String {
    let Some(rpm) = loaded.rpm else {
        return format!("While the {name} is loaded: no answer in time to count round trips.");
    };
    if let Some(why) = machine_limit(loaded) {
        return format!(
            "While the {name} is loaded: {} round trips a minute. This computer was the limit of this test: {why}.",
            fixed(rpm, 0)
        );
    }
    let sure = sure(loaded.rpm_confidence);
    format!(
        "While the {name} is loaded: {} round trips a minute, {} (confidence {sure}).",
        fixed(rpm, 0),
        class(rpm)
    )
}

/// The word for a responsiveness, by the bounds of draft-ietf-ippm-responsiveness-09, "Goals" of
/// its introduction: 200 ms, 60 ms and 10 ms.
fn class(rpm: f64) -> &'static str {
    match rpm {
        ..=300.0 => "poor",
        ..1000.0 => "fair",
        ..6000.0 => "good",
        _ => "excellent",
    }
}

/// The confidence in the draft's words.
fn sure(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// The senders' congestion controls, which affect the figures; one name if all directions have the
/// same.
fn congestion(found: &Responsiveness) -> String {
    let control = |loaded: &'_ LoadedResponsiveness| {
        loaded.congestion.clone().unwrap_or_else(|| "not told by the server".into())
    };
    let named: Vec<(&str, String)> =
        directions(found).map(|(name, loaded)| (name, control(loaded))).collect();
    let all = match &named[..] {
        [(_, first), rest @ ..] if rest.iter().all(|(_, other)| other == first) => first.clone(),
        named => {
            let each = named.iter().map(|(name, control)| format!("{control} ({name})"));
            each.collect::<Vec<_>>().join(" and ")
        }
    };
    format!("congestion control {all}")
}

fn facts(found: &Responsiveness) -> String {
    let known = [
        Some(format!("responsiveness of {} ({})", found.url, found.address)),
        found.tls.clone(),
        directions(found).next().map(|_| congestion(found)),
        Some(format!("intervals of {} s", significant(found.interval_s))),
        Some(format!("{} s", significant(found.duration_s))),
    ];
    known.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn grid(found: &Responsiveness) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    let missing = || Cell::number(None::<f64>, millis);
    let mut idle = vec![Cell::text("none"), missing(), missing()];
    idle.extend(times(&found.idle_ms));
    idle.extend([missing(), missing(), missing(), missing(), missing()]);
    grid.row(idle);
    for (name, loaded) in directions(found) {
        let word = |confidence| Cell::number(Some(confidence), |word| sure(word).into());
        let probes = loaded.foreign_probes + loaded.loaded_probes;
        let mut row = vec![
            Cell::text(name),
            Cell::number(loaded.rpm, |rpm| fixed(rpm, 0)),
            word(loaded.rpm_confidence),
        ];
        row.extend(times(&loaded.foreign_ms));
        row.extend([
            Cell::number(loaded.loaded_ms, millis),
            Cell::number(loaded.goodput_mbit, significant),
            word(loaded.goodput_confidence),
            Cell::number(Some(loaded.connections), |number| number.to_string()),
            Cell::number(Some(probes), |number| number.to_string()),
        ]);
        grid.row(row);
    }
    grid
}

fn times(times: &ForeignTimes) -> [Cell; 3] {
    [times.tcp, times.tls, times.http].map(|time| Cell::number(time, millis))
}

#[cfg(test)]
mod tests {
    use results::Finding;

    use super::*;

    fn example() -> Responsiveness {
        Responsiveness {
            url: "https://nq.example/.well-known/nq".into(),
            address: "192.0.2.1:443".into(),
            tls: Some("TLS 1.3".into()),
            duration_s: 110.0,
            interval_s: 5.0,
            idle_ms: ForeignTimes { tcp: Some(20.1), tls: Some(20.9), http: Some(20.4) },
            upload: Some(LoadedResponsiveness {
                rpm: Some(57.3),
                loaded_ms: Some(1050.0),
                rpm_confidence: Confidence::High,
                ..LoadedResponsiveness::default()
            }),
            download: Some(LoadedResponsiveness::default()),
            ..Responsiveness::default()
        }
    }

    #[test]
    fn sentences_come_first() {
        let text = responsiveness_text(&example(), Style::Plain);
        let lines: Vec<_> = text.lines().take(2).collect();
        assert_eq!(
            lines,
            [
                "While the download is loaded: no answer in time to count round trips.",
                "While the upload is loaded: 57 round trips a minute, poor (confidence high).",
            ]
        );
        let facts =
            "TLS 1.3, congestion control not\ntold by the server, intervals of 5.00 s, 110 s";
        assert!(text.contains(facts), "{text}");
    }

    #[test]
    fn a_congestion_control_of_both_directions_is_told_once() {
        let of = |download: &str, upload: &str| {
            let loaded = |name: &str| {
                let congestion = Some(name.into());
                Some(LoadedResponsiveness { congestion, ..LoadedResponsiveness::default() })
            };
            let (download, upload) = (loaded(download), loaded(upload));
            congestion(&Responsiveness { download, upload, ..Responsiveness::default() })
        };
        assert_eq!(of("cubic", "cubic"), "congestion control cubic");
        assert_eq!(of("bbr", "cubic"), "congestion control bbr (download) and cubic (upload)");
    }

    /// If this computer was the limit, its figure is called neither good nor bad.
    #[test]
    fn a_computer_that_was_the_limit_is_told() {
        let mut found = example();
        let upload = found.upload.as_mut().unwrap();
        (upload.processor.busiest, upload.late_ms) = (Some(0.98), Some(3.0));
        let text = responsiveness_text(&found, Style::Plain);
        assert!(!text.contains(LIMITS), "a full processor alone says nothing: {text}");
        let kind = FindingKind::MachineLimits;
        let limit = Finding { kind, amount: Some(23.4), confidence: 0.85 };
        found.upload.as_mut().unwrap().findings.push(limit);
        let text = responsiveness_text(&found, Style::Plain).replace('\n', " ");
        let told = "57 round trips a minute. This computer was the limit of this test: it came 23.4 ms late";
        assert!(text.contains(told), "{text}");
        assert!(text.contains("A processor of this computer was 98 % busy"), "{text}");
        assert!(!text.contains("poor"), "{text}");
    }

    #[test]
    fn a_page_shows_what_a_request_waits_for() {
        let page = responsiveness_page(&example());
        assert_eq!(page.verdict.len(), 2);
        assert_eq!(page.tables[0].rows.len(), 3);
        let figure = &page.figures[0];
        let names: Vec<&str> = figure.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["none", "download", "upload"]);
        assert_eq!(figure.curves[0].y, [Some(20.1), Some(20.9), Some(20.4), None]);
        assert_eq!(figure.curves[2].y[3], Some(1050.0));
        assert!(crate::html(&page).contains("What a request waits for"));
        let nothing = responsiveness_page(&Responsiveness::default());
        assert!(nothing.figures.is_empty());
    }

    #[test]
    fn the_reason_why_it_is_incomplete_is_told() {
        let of = |reason| {
            let partial_reason = Some(reason);
            let found = Responsiveness { partial_reason, ..example() };
            let text = responsiveness_text(&found, Style::Plain);
            let said = crate::told(found).partial.unwrap();
            assert!(text.contains(&said), "{text}");
            said
        };
        assert_eq!(of(IncompleteResponsiveness::Interrupted), "It was stopped.");
        let failed = IncompleteResponsiveness::LoadFailed { error: "no answer".into() };
        assert_eq!(of(failed), "The load broke off: no answer.");
        let earlier = Responsiveness { partial: Some("It broke.".into()), ..example() };
        assert_eq!(crate::told(earlier).partial.as_deref(), Some("It broke."));
    }

    #[test]
    fn what_strangers_say_is_harmless() {
        let hostile = Responsiveness { partial: Some("\u{1b}[2J".into()), ..example() };
        assert!(!responsiveness_text(&hostile, Style::Plain).contains('\u{1b}'));
    }

    #[test]
    fn classes_are_those_of_the_draft() {
        let classes = [300.0, 301.0, 1000.0, 5999.0, 6000.0].map(class);
        assert_eq!(classes, ["poor", "fair", "good", "good", "excellent"]);
    }
}
