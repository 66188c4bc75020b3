use results::{
    Expected, Plan, PlannedRate, PlannedRates, Step, Stop, Trial, TunedDirection, Tuning,
};

use super::*;
use crate::measurement::example::{bloated, cured};

fn plan() -> Plan {
    let shaped = |line_mbit: f64| {
        let expected = Expected { rate_mbit: 0.95 * line_mbit, added_p95_ms: 6.0 };
        let bandwidth_mbit = 0.96 * line_mbit;
        PlannedDirection::Shaped(PlannedRate { line_mbit, bandwidth_mbit, expected })
    };
    Plan {
        system: "Linux with systemd".into(),
        rates: PlannedRates { download: shaped(20.0), upload: shaped(2.0) },
        steps: vec![Step::new("As root.", "unbloat-shaper start")],
        undo: vec![Step::new("Back.", "unbloat-shaper stop")],
        ..Plan::default()
    }
}

fn kept() -> Treatment {
    let machine = Some("router".into());
    Treatment {
        machine,
        plan: plan(),
        before: bloated(),
        after: Some(cured()),
        kept: true,
        ..Treatment::default()
    }
}

fn undone() -> Treatment {
    let reason = UndoReason::StillLong { heading: Heading::Up, before_ms: 1050.0, after_ms: 900.0 };
    let taken_back = Some(TakenBack::AsBefore);
    Treatment { kept: false, reasons: vec![reason], taken_back, ..kept() }
}

#[test]
fn a_cured_line_has_the_way_back() {
    let text = treatment_text(&kept(), Style::Plain);
    assert!(text.starts_with("Cured: router keeps the change.\n"), "{text}");
    assert!(
        text.contains("To take it back, with the same --over:\n  unbloat fix --undo\n"),
        "{text}"
    );
    let text = treatment_text(&undone(), Style::Plain);
    assert!(text.starts_with("The change was taken back: router is as it was."), "{text}");
    assert!(!text.contains("To take it back"), "{text}");
    for (taken_back, words) in [
        (Some(TakenBack::Differs), "but router is not as it was"),
        (Some(TakenBack::NotSeen), "timer on router takes"),
        (None, "The change was taken back.\n"),
    ] {
        let text = treatment_text(&Treatment { taken_back, ..undone() }, Style::Plain);
        let first = text.split("The upload").next().unwrap().replace('\n', " ");
        assert!(first.contains(words.trim_end()) && !first.contains("is as it was"), "{first}");
    }
}

/// The first sentence names a direction that still waits.
#[test]
fn a_direction_that_was_not_shaped_and_still_waits_is_told() {
    let mut treatment = kept();
    let left = PlannedDirection::Left(results::Untreated::RateUnknown);
    treatment.plan.rates.download = left;
    let waits = |p95: f64, treatment: &mut Treatment| {
        let download = treatment.after.as_mut().unwrap().download.as_mut().unwrap();
        download.added_delay_ms.p95 = Some(p95);
        treatment_text(treatment, Style::Plain).replace('\n', " ")
    };
    let text = waits(103.0, &mut treatment);
    let first = "The upload is cured, and in the download others still wait 103 ms: router keeps the change.";
    assert!(text.starts_with(first), "{text}");
    assert!(
        text.contains("The download was not shaped: the line may carry more than the test used;"),
        "{text}"
    );
    assert!(text.contains("Plan again after another test."), "{text}");
    let text = waits(8.0, &mut treatment);
    assert!(text.starts_with("Cured: router keeps the change."), "{text}");
    assert!(!text.contains("was not shaped"), "{text}");
}

#[test]
fn the_cost_in_goodput_is_told() {
    let mut treatment = kept();
    for (measurement, mbit) in
        [(&mut treatment.before, 19.8), (treatment.after.as_mut().unwrap(), 16.5)]
    {
        measurement.download.as_mut().unwrap().goodput_mbit = Some(mbit);
        measurement.upload.as_mut().unwrap().goodput_mbit = Some(1.9);
    }
    let text = treatment_text(&treatment, Style::Plain).replace('\n', " ");
    let told = "The goodput of the download is 16.5 Mbit/s; before the change it was 19.8 Mbit/s.";
    assert!(text.contains(told), "{text}");
    assert!(!text.contains("goodput of the upload"), "{text}");
}

#[test]
fn what_passed_by_the_queue_has_its_direction() {
    let device = || "wan".to_owned();
    let reasons = vec![
        UndoReason::CountersStill { device: device(), heading: Some(Heading::Down) },
        UndoReason::ShaperEnded { device: device(), heading: Heading::Up },
    ];
    let text = treatment_text(&Treatment { reasons, ..undone() }, Style::Plain).replace('\n', " ");
    assert!(
        text.contains("The download of the test did not pass through the queue of wan:"),
        "{text}"
    );
    let ended = "The shaper of the upload ended during the test: wan has no CAKE any more.";
    assert!(text.contains(ended), "{text}");
}

#[test]
fn a_page_has_before_and_after_side_by_side() {
    let page = treatment_page(&kept());
    assert!(page.is_rest_folded && page.first_figures == 1 && page.figures.len() > 1);
    let cards: Vec<_> = page.cards.iter().map(|card| (card.title.as_str(), card.grade)).collect();
    assert_eq!(cards, [("Before", Some(Grade::F)), ("After", Some(Grade::APlus))]);
    let badge = |card: usize, name: &str| {
        let badges = &page.cards[card].badges;
        badges.iter().find(|badge| badge.name == name).map(|badge| badge.value.clone())
    };
    assert_eq!(badge(0, "an upload").as_deref(), Some("adds 1.05 s at 2 Mbit/s"));
    assert_eq!(badge(1, "an upload").as_deref(), Some("adds 4.1 ms at 1.9 Mbit/s"));
    assert_eq!(badge(0, "a call").as_deref(), Some("breaks up (MOS 1.0)"));
    let ids: Vec<&str> = page.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, ["spread", "upload", "download"]);
    for figure in &page.figures {
        let names: Vec<&str> = figure.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["before", "after"], "{}", figure.id);
        assert_eq!(figure.y.scale, crate::Scale::Log);
    }
    let lists: Vec<&str> = page.commands.iter().map(|list| list.title.as_str()).collect();
    assert_eq!(lists, ["What was changed", "To take it back"]);
    assert_eq!(page.figures[0].title, "How long others wait, before and after");
}

/// The line is no longer as it was in the second test.
#[test]
fn a_page_of_a_change_that_was_taken_back_has_no_after() {
    let page = treatment_page(&undone());
    let lists: Vec<_> = page.commands.iter().map(|list| &*list.title).collect();
    assert_eq!(lists, ["What was changed and taken back"]);
    let cards: Vec<_> = page.cards.iter().map(|card| &*card.title).collect();
    assert_eq!(cards, ["Before", "With the change"]);
    assert_eq!(page.figures[0].title, "How long others wait, before and with the change");
    assert!(
        page.tables[0].rows.iter().flatten().all(|cell| cell.as_str() != "after"),
        "{:?}",
        page.tables
    );
    let unmeasured = treatment_page(&Treatment { after: None, ..undone() });
    assert_eq!((unmeasured.cards.len(), unmeasured.figures.len()), (1, 3));
    assert_eq!(unmeasured.figures[0].title, "How long others wait, before the change");
}

#[test]
fn a_cure_without_a_grade_tells_the_bound() {
    let mut treatment = kept();
    let upload = treatment.after.as_mut().unwrap().upload.as_mut().unwrap();
    (upload.grade, upload.grade_reason) = (None, Some(results::Ungraded::NotMeasured));
    upload.added_delay_ms.p95 = None;
    upload.added_delay_ms.max = Some(11.7);
    let text = treatment_text(&treatment, Style::Plain).replace('\n', " ");
    let told = "Cured: router keeps the change. In the upload, no probe waited more than 12 ms, but there were too \
                few probes for a grade.";
    assert!(text.starts_with(told), "{text}");
    assert!(!treatment_text(&kept(), Style::Plain).contains("no probe waited"));
}

#[test]
fn the_rates_that_were_tried_are_told() {
    let trial = |bandwidth_mbit, p95: f64| Trial {
        bandwidth_mbit,
        added_p95_ms: Some(p95),
        ..Trial::default()
    };
    let trials = vec![trial(1.95, 8.0), trial(2.07, 400.0), trial(2.01, 21.0)];
    let upload = Some(TunedDirection {
        trials,
        stopped: Stop::Close,
        found_mbit: Some(2.01),
        too_high_mbit: Some(2.07),
    });
    let tuning = Some(Tuning { target_ms: 30.0, upload, download: None });
    let text = treatment_text(&Treatment { tuning, ..kept() }, Style::Plain).replace('\n', " ");
    let told = "The upload keeps others within 30 ms at 2.01 Mbit/s (they wait 21 ms) and not at 2.07 Mbit/s \
                (they wait 400 ms). The search ended after 3 tests: the two rates are close.";
    assert!(text.contains(told), "{text}");
}

#[test]
fn two_measurements_are_drawn_as_before_and_after() {
    let page = before_and_after_page(&bloated(), &cured());
    let titles: Vec<_> = page.cards.iter().map(|card| &*card.title).collect();
    assert_eq!(titles, ["Before", "After"]);
    assert_eq!(page.verdict[1], "Others wait 4.1 ms in the upload; before, they waited 1.05 s.");
    let figures: Vec<_> = page.figures.iter().map(|figure| &*figure.id).collect();
    assert_eq!(figures, ["spread", "download", "upload"]);
    assert_eq!(page.tables[0].rows.len(), 4);
}

/// A delay of which the test itself says that it is not known is no success of a change.
#[test]
fn what_is_not_known_after_a_change_is_not_told() {
    let mut after = cured();
    (after.upload.as_mut().unwrap().grade, after.grade) = (None, None);
    let page = before_and_after_page(&bloated(), &after);
    let told = "How long others wait in the upload is not known; before, they waited 1.05 s.";
    assert!(page.verdict.iter().any(|it| it == told), "{:?}", page.verdict);
    let upload = page.tables[0].rows.iter().find(|row| row[0] == "upload" && row[1] == "after");
    assert!(upload.is_some_and(|row| row[3] == "–" && row[4] == "–"), "{upload:?}");
    for (id, names) in [("upload", &["before"][..]), ("download", &["before", "after"])] {
        let figure = page.figures.iter().find(|figure| figure.id == id).unwrap();
        let drawn: Vec<&str> = figure.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(drawn, names, "{id}");
    }
    let spread = &page.figures[0];
    assert_eq!((&spread.curves[1].x[..], spread.curves[0].x.len()), (&[0.0][..], 2));
    let told =
        "Not drawn, because how long others waited is not known: the upload after the change.";
    assert!(spread.explanation.ends_with(told), "{}", spread.explanation);
}

/// Delays of less than a tenth of a millisecond are not drawn as if they had been measured so.
#[test]
fn a_delay_below_the_least_value_is_called_so() {
    let mut after = cured();
    let series = after.series.as_mut().unwrap();
    for probes in &mut series.probes {
        probes.up_ms.fill(Some(0.0));
    }
    let page = before_and_after_page(&bloated(), &after);
    let upload = page.figures.iter().find(|figure| figure.id == "upload").unwrap();
    assert!(upload.curves[1].y.iter().flatten().all(|ms| Some(*ms) == upload.y.least));
    let told = "Delays below 0.1 ms are drawn at the line <0.1.";
    assert!(upload.explanation.ends_with(told), "{}", upload.explanation);
    let html = crate::html(&page);
    assert!(html.contains("<span class=\"unit\">below 0.1</span>"), "{html}");
}
