//! The IETF's responsiveness: a sentence for each direction, then a table.

use results::{Confidence, ForeignTimes, LoadedResponsiveness, Responsiveness};

use crate::grid::{Cell, Column, Grid};
use crate::number::{fixed, millis, significant};
use crate::style::{Style, Tone};
use crate::text::{printable, wrap, wrap_indented};

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

/// All of it, as people read it.
pub fn responsiveness_text(found: &Responsiveness, style: Style) -> String {
    let mut text = String::new();
    for (name, loaded) in directions(found) {
        text += &(style.paint(&wrap(&sentence(name, loaded)), Tone::Title) + "\n");
    }
    if let Some(partial) = &found.partial {
        text += &format!("\nMind:\n{}\n", wrap_indented(&printable(partial), "  "));
    }
    text += &format!("\n{}\n", wrap(&printable(&facts(found))));
    format!("{text}\n{}", grid(found).render(style))
}

fn directions(found: &Responsiveness) -> impl Iterator<Item = (&str, &LoadedResponsiveness)> {
    let all = [("download", &found.download), ("upload", &found.upload)];
    all.into_iter().filter_map(|(name, loaded)| Some((name, loaded.as_ref()?)))
}

fn sentence(name: &str, loaded: &LoadedResponsiveness) -> String {
    let Some(rpm) = loaded.rpm else {
        return format!("While the {name} is loaded: no answer in time to count round trips.");
    };
    let sure = sure(loaded.rpm_confidence);
    format!(
        "While the {name} is loaded: {} round trips a minute, {} (confidence {sure}).",
        fixed(rpm, 0),
        class(rpm)
    )
}

/// The bounds of draft-ietf-ippm-responsiveness-09, "Goals" of its introduction: 200 ms, 60 ms and
/// 10 ms.
fn class(rpm: f64) -> &'static str {
    match rpm {
        ..=300.0 => "poor",
        ..1000.0 => "fair",
        ..6000.0 => "good",
        _ => "excellent",
    }
}

/// The draft's words.
fn sure(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// How whoever sent controlled congestion, on which what is measured depends: one name where all
/// directions have the same.
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
