//! A watch on a machine that sleeps, and whose clock is set.

use results::{WatchChange, WatchEventKind, WatchGap, WatchLine, WatchNews};

use crate::ward;

/// Neither is a loss or a spike: they are events, with their reasons.
#[test]
fn needs_qemu_sleep_and_a_clock_that_is_set_are_no_loss() {
    let results = ward::guest().run(include_str!("standstill.sh")).unwrap();
    let read = |line: &str| serde_json::from_str::<WatchLine>(line).unwrap().news;
    let news: Vec<WatchNews> = ward::text(&results, "lines").lines().map(read).collect();
    let events = news.iter().filter_map(|it| match it {
        WatchNews::Event(event) => Some(event),
        WatchNews::Minute(_) => None,
    });
    let events: Vec<_> = events.collect();
    println!("{events:#?}");
    let [slept, forward, back] = &events[..] else { panic!("{events:#?}") };
    assert_eq!(slept.what, WatchEventKind::Gap { reason: WatchGap::Asleep });
    assert!((17.0..23.0).contains(&slept.duration_s), "{slept:?}");
    for (event, set) in [(forward, 3600.0), (back, -7200.0)] {
        let WatchEventKind::Change(WatchChange::Clock { by_s }) = event.what else {
            panic!("{event:?}")
        };
        // date(1) sets whole seconds.
        assert!((by_s - set).abs() < 1.5, "{event:?}");
    }
    for it in &news {
        let WatchNews::Minute(minute) = it else { continue };
        let counts = minute.counts;
        assert_eq!((counts.late, counts.lost, counts.failed), (0, 0, 0), "{minute:?}");
    }
}
