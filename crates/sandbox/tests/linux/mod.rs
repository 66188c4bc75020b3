use std::fs;
use std::path::Path;
use std::process::{Command, exit};

use sandbox::{Isolation, Namespace, isolate};

use crate::harness::{self, Test};

mod rights;

const TESTS: &[Test] = &[
    ("parameters_are_of_one_namespace", rights::parameters_are_of_one_namespace),
    ("rights_are_renounced_for_good", rights::rights_are_renounced_for_good),
    ("some_rights_are_kept", rights::some_rights_are_kept),
    ("who_has_renounced_can_nest", rights::who_has_renounced_can_nest),
    ("real_time_is_taken_away", rights::real_time_is_taken_away),
];

/// A root that may not make user namespaces cannot nest.
const NEEDS_USER_NAMESPACES: &str = "who_has_renounced_can_nest";

/// The argument of a process that [`rights`] starts within the isolation.
const NESTED: &str = "--nested";

pub(crate) fn main() -> ! {
    let isolation = isolate();
    if std::env::args().any(|argument| argument == NESTED) {
        let is_new = matches!(isolation, Ok(Isolation::UserNamespace));
        let fine = is_new && Namespace::new().is_ok();
        exit(i32::from(!fine));
    }
    harness::run(TESTS, &isolation, |name, isolation| {
        (isolation == Isolation::Root && name == NEEDS_USER_NAMESPACES)
            .then_some("user namespaces are forbidden")
    })
}

/// A command that starts this program again.
fn ourselves() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

fn status(of: &str, field: &str) -> String {
    let text = fs::read_to_string(Path::new("/proc").join(of).join("status")).unwrap();
    let value = text.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    value.trim_start_matches(':').trim().to_owned()
}
