//! A watch over Wi-Fi whose radios the kernel simulates.

use guest::{Guest, Packages};
use results::{WatchChange, WatchEventKind, WatchLine, WatchNews};

use crate::ward;

#[test]
fn needs_qemu_wireless_roaming_is_named_and_no_loss() {
    let packages = Packages::with_wireless_kernel(&ward::folder()).unwrap();
    let mut guest = ward::with_program(Guest::new(&packages).unwrap());
    for program in ["hostapd", "iw", "wpa_supplicant", "wpa_cli"] {
        guest.add_packaged(program).unwrap();
    }
    let results = guest.run(include_str!("wireless.sh")).unwrap();
    let read = |line: &str| serde_json::from_str::<WatchLine>(line).unwrap().news;
    let news: Vec<WatchNews> = ward::text(&results, "lines").lines().map(read).collect();
    println!("{news:#?}");
    for name in ["log", "said", "seconds"] {
        println!("{}", ward::text(&results, name));
    }
    panic!();
}
