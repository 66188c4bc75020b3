//! Courses that are ended at each step: the router is as before within the timer.
//!
//! What ends a course, and at which of its commands, is chosen by a fixed sequence. `CASES=120` tries so
//! many in each place, and the steps behind a whole test besides; without it, one of each kind.

use guest::Guest;

use crate::ward;

/// What the router has before.
const ROUTERS: [&str; 4] = ["plain", "fq_codel", "cake", "ours"];

/// What ends a course of a program on the router.
const HERE: [&str; 6] = ["program", "shell", "all", "server", "path", "slow"];

/// What ends a course of a program that reaches the router by ssh.
const OVER_SSH: [&str; 8] =
    ["program", "ssh", "dropbear", "link", "shell", "server", "path", "slow"];

/// The seconds in which the router is as before: the timer's two minutes, and how seldom the script looks.
const WITHIN: u32 = 130;

/// The most cases of one guest.
const AT_ONCE: usize = 30;

/// The number of cases that the environment asks for, of one place; `None` for one of each kind.
fn asked() -> Option<usize> {
    #[expect(clippy::disallowed_methods, reason = "a test takes its length from the environment")]
    let cases = std::env::var("CASES").ok()?;
    Some(cases.parse().expect("CASES is a number"))
}

/// The lines of so many cases, and those behind a whole test.
fn cases(place: &str, events: &[&str]) -> Vec<String> {
    let pairs: Vec<_> =
        ROUTERS.iter().flat_map(|it| events.iter().map(move |event| (it, event))).collect();
    let mut cases = Vec::new();
    for number in 0..asked().unwrap_or(events.len()) {
        // All pairs come by turns, in an order that mixes both.
        let (router, event) = pairs[number * 11 % pairs.len()];
        // The golden ratio spreads any number of them over the whole course.
        cases.push(format!("{place} {router} {event} {}", number * 618 % 1000));
    }
    if asked().is_some() {
        let ends = events.iter().filter(|event| !["server", "path", "slow"].contains(event));
        for (number, event) in ends.enumerate() {
            // Where an earlier plan is kept, a newer one that is kept is no way back.
            let router = ROUTERS[number % 3];
            cases.push(format!("{place} {router} {event} testing"));
            cases.push(format!("{place} {router} {event} keeping{}", 1 + 2 * number));
        }
    }
    cases
}

/// Each case ends as before, and in time.
fn all_come_back(guest: impl Fn() -> Guest<'static>, scripts: &[&str], cases: &[String]) {
    for cases in cases.chunks(AT_ONCE) {
        let mut guest = guest();
        guest.add_file("before.json", ward::before());
        guest.add_file("cases", (cases.join("\n") + "\n").as_bytes());
        let results = ward::run(guest, scripts);
        let back = ward::text(&results, "back");
        for line in back.lines() {
            let took =
                line.strip_suffix(" s").and_then(|line| line.split_once(": as before after "));
            let (what, seconds) = took.unwrap_or_else(|| panic!("{back}"));
            let is_slow = what.contains(", slow at ") || what.contains(" at keeping");
            let seconds: u32 = seconds.parse().unwrap();
            assert!(is_slow || seconds <= WITHIN, "{line}\n{back}");
        }
        assert_eq!(back.lines().count(), cases.len(), "{back}");
        println!("{back}");
    }
}

#[test]
fn needs_qemu_what_is_ended_at_any_step_is_taken_back() {
    let scripts = [include_str!("undo.sh")];
    all_come_back(ward::guest, &scripts, &cases("here", &HERE));
}

#[test]
fn needs_qemu_what_is_ended_at_any_step_over_ssh_is_taken_back() {
    let scripts = [ward::SSH, include_str!("undo.sh")];
    all_come_back(ward::guest_with_ssh, &scripts, &cases("ssh", &OVER_SSH));
}
