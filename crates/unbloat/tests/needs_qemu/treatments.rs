//! A program on the router itself: what it refuses, takes back and keeps.

use results::UndoReason;

use crate::ward;

#[test]
fn needs_qemu_a_change_is_kept_if_it_helped_and_taken_back_otherwise() {
    let mut guest = ward::guest();
    guest.add_file("before.json", ward::before());
    let results = ward::run(guest, &[include_str!("treatments.sh")]);
    ward::is_back(&results, 8);
    ward::has(
        &results,
        "refused",
        &["cake bandwidth 5Mbit", "--replace", "nothing was changed", "status 2"],
    );
    ward::has(&results, "taken", &["ifb-wan", "nothing was changed", "status 2"]);
    ward::has(&results, "verified", &["The plan is in force"]);
    ward::has(&results, "refused-again", &["htb", "nothing was changed", "status 2"]);
    ward::has(&results, "interrupted", &["taken back", "interrupted", "status 3"]);
    ward::has(&results, "unmeasured", &["taken back", "could not be measured again", "status 4"]);
    let cured = ward::treatment(&results, "cured.json");
    ward::is_cured(&cured);
    assert_eq!(cured.reasons, Vec::<UndoReason>::new());
    ward::has(
        &results,
        "kept",
        &["qdisc cake", "ifb-wan", "/etc/network/if-up.d/unbloat-shaper", "/etc/unbloat/undo"],
    );
    let kept = ward::text(&results, "kept");
    assert!(!kept.contains("unbloat-fix"), "the timer is left behind: {kept}");
}
