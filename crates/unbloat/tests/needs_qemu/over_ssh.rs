//! A program on a computer behind the router, which reaches the router by the user's own ssh.

use crate::ward;

#[test]
fn needs_qemu_a_router_is_cured_over_ssh() {
    let mut guest = ward::guest_with_ssh();
    guest.add_file("before.json", ward::before());
    let results = ward::run(guest, &[ward::SSH, include_str!("over_ssh.sh")]);
    ward::is_back(&results, 3);
    for shell in ["dash", "busybox"] {
        let cured = ward::treatment(&results, &format!("{shell}.json"));
        ward::is_cured(&cured);
        assert_eq!(cured.machine.as_deref(), Some("10.1.0.1"));
        let kept = format!("kept-by-{shell}");
        ward::has(&results, &kept, &["qdisc cake", "ifb-wan", "/etc/unbloat/undo"]);
    }
    ward::has(&results, "said", &["10.1.0.1: applying the plan", "10.1.0.1: testing again"]);
    ward::has(&results, "undone", &["10.1.0.1: what unbloat had changed was taken back"]);
    ward::has(&results, "gone", &["Connection refused", "nothing was changed", "status 1"]);
    ward::has(&results, "stranger", &["verification failed", "nothing was changed", "status 1"]);
}
