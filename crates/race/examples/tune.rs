use autorate::Rules;
use race::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use units::Span;
struct Two;
impl Runner for Two {
    fn each(&self, runs: usize, work: &Work<'_>) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|s| {
            for _ in 0..2 {
                s.spawn(|| {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        if i >= runs {
                            break;
                        }
                        work(i, &mut |_| true);
                    }
                });
            }
        });
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let seed = a[1].parse().unwrap();
    let seeds = a[2].parse().unwrap();
    let t: u64 = a[3].parse().unwrap();
    let rules = if a[4] == "all" {
        Rules::ALL.to_vec()
    } else {
        Rules::ALL.into_iter().filter(|r| a[4].contains(r.name())).collect()
    };
    let r = race(&Request { rules, seed, seeds, time: Span::from_secs(t), recorded: None }, &Two)
        .unwrap()
        .unwrap();
    for l in &r.lines {
        println!("== {}", l.kind);
        for e in std::iter::once(&l.oracle).chain(&l.entries) {
            println!(
                "{:14} cost {:7.1} beyond {:7.1} lost up {:5.1} down {:5.1} silent {:5.1} told {:5.1} blind {:5.1} req/s {:.1} {:?}",
                e.rules,
                e.cost,
                e.beyond_ms,
                e.lost_up_percent.unwrap_or(-1.0),
                e.lost_down_percent.unwrap_or(-1.0),
                e.silent_s,
                e.told_s,
                e.blind_s,
                e.requests_per_s,
                e.costs.iter().map(|c| c.round()).collect::<Vec<_>>()
            );
        }
    }
    if let Some(c) = &r.comparison {
        println!("median {} ", c.median_ratio);
        for x in c.ratios.iter() {
            println!("ratio {} {} {}", x.kind, x.than, x.ratio)
        }
        for x in c.dearer.iter() {
            println!("dearer {} {} {}", x.kind, x.than, x.ratio)
        }
    }
    if a.len() > 5 {
        for l in r.lines.iter().filter(|l| l.kind == a[5]) {
            let c = &l.curves;
            for i in 0..c.time_s.len() {
                print!(
                    "{:6.1} C {:5.1} {:5.1}",
                    c.time_s[i], c.capacity_up_mbit[i], c.capacity_down_mbit[i]
                );
                for r in &c.rules {
                    print!(
                        " | {:5.1} {:5.1} {:6.1} {}",
                        r.up_mbit.get(i).unwrap_or(&0.),
                        r.down_mbit.get(i).unwrap_or(&0.),
                        r.delay_ms.get(i).unwrap_or(&0.),
                        if *r.blind.get(i).unwrap_or(&false) { "B" } else { " " }
                    );
                }
                println!();
            }
        }
    }
}
