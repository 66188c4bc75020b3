//! Whole races.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use autorate::Rules;
use race::{Course, LineKind, Request, Runner, Work, race};
use results::Race;
use units::Span;

/// A runner with this number of threads.
struct Threads(usize);

impl Runner for Threads {
    fn each(&self, runs: usize, work: &Work<'_>) {
        let next = AtomicUsize::new(0);
        let worker = || {
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= runs {
                    break;
                }
                work(run, &mut |_| true);
            }
        };
        thread::scope(|scope| (0..self.0).for_each(|_| _ = scope.spawn(worker)));
    }
}

fn request(rules: &[Rules], seconds: u64) -> Request {
    Request {
        rules: rules.to_vec(),
        seed: 7,
        seeds: 1,
        time: Span::from_secs(seconds),
        recorded: None,
    }
}

fn raced(request: &Request, threads: usize) -> Race {
    race(request, &Threads(threads)).unwrap().expect("no run was left out")
}

#[test]
fn a_race_is_the_same_on_one_thread_and_on_two() {
    let request = request(&Rules::ALL, 12);
    let race = raced(&request, 2);
    assert_eq!(race, raced(&request, 1));
    let kinds: Vec<&str> = race.lines.iter().map(|line| line.kind.as_str()).collect();
    assert_eq!(kinds, LineKind::ALL.map(LineKind::name));
    let comparison = race.comparison.expect("ours and others raced");
    assert_eq!(comparison.ratios.len(), kinds.len());
}

/// A set of rules has the same result whoever races beside it.
#[test]
fn rules_do_not_affect_each_other() {
    let together = raced(&request(&[Rules::Ours, Rules::Qosmate], 12), 2);
    let alone = raced(&request(&[Rules::Qosmate], 12), 2);
    for (one, other) in together.lines.iter().zip(&alone.lines) {
        assert_eq!(one.entries[1], other.entries[0]);
        assert_eq!(one.oracle, other.oracle);
    }
    assert_eq!(alone.comparison, None);
}

/// On a line that is steady, the oracle loses next to nothing and delays nobody.
#[test]
fn the_oracle_is_hard_to_beat_on_a_steady_line() {
    // 12 Mbit/s, mm-link(1).
    let trace: String = (1..=1000).map(|millis| format!("{millis}\n")).collect();
    let time = Span::from_secs(30);
    let recorded = Some(Course::recorded(trace, time).unwrap());
    let race = raced(&Request { recorded, ..request(&Rules::ALL, 30) }, 2);
    let [line] = race.lines.as_slice() else { panic!("one line") };
    assert!(line.oracle.cost < 3.0, "{:?}", line.oracle);
    for entry in &line.entries {
        assert!(entry.cost >= line.oracle.cost - 1.0, "{entry:?}");
    }
}

/// Ours tells silence within the second and a bit that a driver needs, and never invents it.
#[test]
fn blindness_is_told_when_reflectors_are_silent_and_not_otherwise() {
    let race = raced(&request(&[Rules::Ours], 60), 2);
    for line in &race.lines {
        let ours = &line.entries[0];
        match line.kind.as_str() {
            "silent" => assert!(ours.told_s > 0.8 * ours.silent_s, "{ours:?}"),
            // A line that carries nothing for seconds is told too.
            "dsl" | "cellular" => {}
            _ => assert!(ours.blind_s < 0.5, "{}: {ours:?}", line.kind),
        }
    }
}

#[test]
fn what_cannot_be_raced_is_refused() {
    for request in [request(&[], 12), request(&Rules::ALL, 5)] {
        assert!(race(&request, &Threads(1)).is_err());
    }
}
