//! A small harness for tests in namespaces of their own. Isolation needs a process of one thread,
//! which the usual harness is not. It lists and filters as the usual one does.

use std::panic::catch_unwind;
use std::process::exit;

use sandbox::{Isolation, IsolationError};

/// A test and its name.
pub(crate) type Test = (&'static str, fn());

/// Runs the tests whose names contain a word of the command line, or all, and ends the process.
/// Without isolation all count as ignored, and the reason is printed; `spare` may name one test to
/// ignore in some kinds of isolation, and why.
pub(crate) fn run(
    tests: &[Test],
    isolation: &Result<Isolation, IsolationError>,
    spare: impl Fn(&str, Isolation) -> Option<&'static str>,
) -> ! {
    let names: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let wanted = |test: &&Test| names.is_empty() || names.iter().any(|name| test.0.contains(name));
    let chosen: Vec<&Test> = tests.iter().filter(wanted).collect();
    println!("\nrunning {} tests", chosen.len());
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for (name, test) in &chosen {
        let spared = match isolation {
            Err(error) => Some(error.to_string()),
            Ok(isolation) => spare(name, *isolation).map(str::to_owned),
        };
        let (count, word) = match spared {
            Some(why) => (&mut ignored, format!("ignored, {why}")),
            None if catch_unwind(test).is_ok() => (&mut passed, "ok".to_owned()),
            None => (&mut failed, "FAILED".to_owned()),
        };
        *count += 1;
        println!("test {name} ... {word}");
    }
    let result = if failed == 0 { "ok" } else { "FAILED" };
    let filtered = tests.len() - chosen.len();
    println!(
        "\ntest result: {result}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; \
         {filtered} filtered out\n",
    );
    exit(if failed == 0 { 0 } else { 101 });
}
