//! The article `apnic`: the required results of real runs.

mod repeated;

use repeated::{Repeated, assert_near};
use results::ReproductionVerdict;

static LINE: Repeated = Repeated::part("apnic", "line");
static CAKE: Repeated = Repeated::part("apnic", "cake");
static RTT: Repeated = Repeated::part("apnic", "rtt");

fn ours(part: &Repeated, name: &str, metric: &str) -> f64 {
    part.row(metric, |row| row.row == name).ours.unwrap()
}

/// By hand: a frame of 1518 bytes has 1448 of payload.
#[test]
fn the_line_carries_what_its_headers_leave() {
    assert_near(ours(&LINE, "four downloads alone", "goodput"), 305.2, 0.01, "320 Mbit/s");
    assert_near(ours(&LINE, "four uploads alone", "goodput"), 47.7, 0.01, "50 Mbit/s");
}

/// By hand: four windows of 3 MiB at 305.2 Mbit/s of payload.
#[test]
fn the_receivers_windows_are_the_round_trip() {
    let seconds = 4.0 * 3.0 * 1024.0 * 1024.0 * 8.0 / 305.2e6;
    assert_near(ours(&LINE, "both together", "median ping"), seconds * 1e3, 0.01, "four windows");
}

/// The uploads collapse, and each remedy that takes away a cause brings most of them back: less
/// delay, no bursts, a larger buffer or a fair one. A long path alone is not the cause.
#[test]
fn the_uploads_collapse_for_the_causes_that_are_told() {
    let uploads = |name: &str| ours(&LINE, name, "uploads");
    let collapsed = uploads("both together");
    assert!(collapsed < 0.6 * ours(&LINE, "four uploads alone", "goodput"), "{collapsed}");
    for remedy in [
        "no queue for the downloads: CAKE there",
        "uploads are paced",
        "uplink's buffer: fq_codel",
        "uplink's buffer: 200 ms",
        "uplink's buffer: 400 ms",
    ] {
        assert!(uploads(remedy) > 1.35 * collapsed, "{remedy}: {}", uploads(remedy));
    }
    assert!(uploads("uplink's buffer: 50 ms") < collapsed);
    assert!(uploads("uploads alone, a path of 330 ms") > 45.0);
}

/// By hand: a frame of 1514 bytes, as CAKE counts it, has 1448 of payload.
#[test]
fn cake_carries_its_rate_less_headers_and_is_flat() {
    let downloads = ours(&CAKE, "four downloads alone", "goodput");
    assert!(downloads < 267.8 && downloads > 0.98 * 267.8, "{downloads}");
    let uploads = ours(&CAKE, "four uploads alone", "goodput");
    assert!(uploads < 43.04 && uploads > 0.98 * 43.04, "{uploads}");
    assert!(ours(&CAKE, "both together", "added to a ping, over the line's") < 0.01);
    for class in ["BE", "BK (CS1)", "EF"] {
        assert!(ours(&CAKE, class, "ping, 95th percentile") < 40.0, "{class}");
    }
}

/// A small `rtt` costs goodput on a long path, and a large one waits longer on a short path.
#[test]
fn rtt_trades_goodput_far_away_for_delay_nearby() {
    let goodput = |name: &str| ours(&RTT, name, "goodput");
    assert!(goodput("rtt 30 ms, far") < 0.9 * goodput("rtt 200 ms, far"));
    assert!(goodput("rtt 30 ms, near") > 0.97 * goodput("rtt 200 ms, near"));
    let waits = |rtt: u32| ours(&RTT, &format!("rtt {rtt} ms, near"), "wait, 95th percentile");
    for (shorter, longer) in [(30, 70), (70, 100), (100, 200)] {
        assert!(waits(shorter) < waits(longer), "{shorter} ms");
        // COBALT's target is a twentieth of `rtt`.
        assert_near(waits(longer), f64::from(longer) / 20.0, 0.2, "target");
    }
}

/// A figure that is off by more than its kind allows differs, and says why.
#[test]
fn what_differs_says_why() {
    for part in [&LINE, &CAKE, &RTT] {
        part.assert_complete_and_explained();
    }
    let differ = CAKE.document().rows.iter();
    let differ = differ.filter(|row| row.verdict == ReproductionVerdict::Differs);
    assert!(differ.count() > 0, "41 Mbit/s beside downloads are more than CAKE leaves");
}

#[test]
fn a_second_time_is_the_same() {
    CAKE.assert_repeatable();
}

#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../../docs/reproduce-apnic.md");
    for part in [&LINE, &CAKE, &RTT] {
        part.assert_shown_in(page);
    }
}
