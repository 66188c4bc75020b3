//! A watch over Wi-Fi whose radios the kernel simulates.

use guest::{Guest, Packages};
use results::{WatchChange, WatchEventKind, WatchGap, WatchNews};

use crate::ward;

/// The addresses of both access points, as the kernel gives them.
const FIRST: &str = "02:00:00:00:00:00";
const SECOND: &str = "02:00:00:00:01:00";

/// Roaming is named, a Wi-Fi that is gone is a gap, neither is loss; the signal is kept.
#[test]
fn needs_qemu_wireless_roaming_and_a_gap_are_named_and_no_loss() {
    let packages = Packages::with_wireless_kernel(&ward::folder()).unwrap();
    let mut guest = ward::with_program(Guest::new(&packages).unwrap());
    for program in ["hostapd", "iw", "wpa_supplicant", "wpa_cli"] {
        guest.add_packaged(program).unwrap();
    }
    let results = guest.run(include_str!("wireless.sh")).unwrap();
    let (mut roamed, mut gaps) = (Vec::new(), Vec::new());
    for news in ward::news(&results, "lines") {
        match news {
            WatchNews::Event(event) => match event.what {
                WatchEventKind::Change(WatchChange::AccessPoint { from, to }) => {
                    roamed.push((from, to));
                }
                WatchEventKind::Gap { reason: WatchGap::Disconnected } => {
                    gaps.push(event.duration_s);
                }
                _ => {}
            },
            WatchNews::Minute(minute) => {
                let counts = minute.counts;
                assert_eq!((counts.lost, counts.failed), (0, 0), "{minute:?}");
            }
        }
    }
    let first = (FIRST.to_owned(), SECOND.to_owned());
    assert_eq!(roamed.first(), Some(&first), "{roamed:?}");
    // The script leaves the Wi-Fi for five seconds; joining takes some more.
    let [gap] = gaps[..] else { panic!("{gaps:?}") };
    assert!((4.5..15.0).contains(&gap), "{gap}");
    // hwsim's signal without a medium of its own: -30 dBm (`mac80211_hwsim.c`).
    let seconds = ward::text(&results, "seconds").lines().filter(|it| it.contains(",-30,"));
    assert!(seconds.count() >= 15);
}
