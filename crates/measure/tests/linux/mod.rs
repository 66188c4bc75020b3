use std::panic::catch_unwind;
use std::process::exit;

use live::isolate;

mod chain;
mod hops;

type Test = (&'static str, fn());

const TESTS: &[Test] = &[
    ("each_hop_answers_and_the_server_ends_it", hops::each_hop_answers_and_the_server_ends_it),
    ("a_router_may_be_silent", hops::a_router_may_be_silent),
    ("nobody_at_home_is_the_end_too", hops::nobody_at_home_is_the_end_too),
    ("the_interface_is_known", hops::the_interface_is_known),
];

pub(crate) fn main() {
    let isolation = isolate();
    let names: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let wanted = |test: &&Test| names.is_empty() || names.iter().any(|name| test.0.contains(name));
    let tests: Vec<&Test> = TESTS.iter().filter(wanted).collect();
    println!("\nrunning {} tests", tests.len());
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for (name, test) in &tests {
        let (count, word) = match &isolation {
            Err(error) => (&mut ignored, format!("ignored, {error}")),
            Ok(_) if catch_unwind(test).is_ok() => (&mut passed, "ok".to_owned()),
            Ok(_) => (&mut failed, "FAILED".to_owned()),
        };
        *count += 1;
        println!("test {name} ... {word}");
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    let filtered = TESTS.len() - tests.len();
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; \
         {filtered} filtered out\n",
    );
    exit(if failed == 0 { 0 } else { 101 });
}
