//! The search for the highest rates.

use crate::ward;

/// The user says that the line carries a quarter more than it does.
#[test]
fn needs_qemu_the_rate_is_found_by_tests() {
    let results = ward::run(ward::guest(), &[include_str!("autotune.sh")]);
    let tuned = ward::treatment(&results, "tuned.json");
    assert!(tuned.kept, "{:?} {:?}", tuned.reasons, tuned.tuning);
    let tuning = tuned.tuning.as_ref().expect("the rates were searched for");
    for (line_mbit, direction) in [(2.0, &tuning.upload), (4.0, &tuning.download)] {
        let direction = direction.as_ref().unwrap();
        let short = direction.found_mbit.unwrap();
        let long = direction.too_high_mbit.unwrap();
        // A full packet is 1514 bytes for the modem, and 33 cells for a slow line that nobody named.
        let most = line_mbit * f64::from(33 * 53) / 1514.0;
        // In five seconds at 1 % above the line's rate a queue grows to some 50 ms, and what slow start
        // leaves in the modem drains too slowly where a shaper leaves a few per cent of the line.
        assert!(short <= most * 1.03 && most * 0.95 <= long, "{line_mbit}: {direction:?}");
        assert!((2..=8).contains(&direction.trials.len()), "{direction:?}");
    }
    let page = ward::text(&results, "tuned.html");
    assert!(page.contains("<h2>Before</h2>") && page.contains("<h2>After</h2>"));
    ward::is_back(&results, 1);
}
