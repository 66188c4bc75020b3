//! A watch on a machine whose clock is set.

use results::{WatchChange, WatchEventKind, WatchNews};

use crate::ward;

/// It is an event, and nothing is lost or late.
#[test]
fn needs_qemu_a_clock_that_is_set_is_no_loss() {
    let results = ward::guest().run(include_str!("clock.sh")).unwrap();
    let news = ward::news(&results, "lines");
    let events = news.iter().filter_map(|it| match it {
        WatchNews::Event(event) => Some(event),
        WatchNews::Minute(_) => None,
    });
    let events: Vec<_> = events.collect();
    let [forward, back] = &events[..] else { panic!("{events:#?}") };
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
