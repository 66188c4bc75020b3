//! What a shaper refuses, and how it says so.

use std::os::unix::process::CommandExt;

use crate::ends::pause;
use crate::shaper::Line;

/// The exit code and the words of `unbloat shape` with these arguments.
fn refused(line: &Line, arguments: &[&str]) -> (Option<i32>, String) {
    let output = line.output(arguments);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn what_cannot_be_is_said() {
    let Some(line) = Line::new() else { return };
    for (arguments, words) in [
        (&["nowhere0", "--up", "cake bandwidth 1mbit"][..], "no interface nowhere0"),
        (&["lo", "--up", "cake bandwidth 1mbit"], "packets of lo never leave this machine"),
        (&["right"], "name a queue for at least one direction"),
        (&["right", "--up", "cake bandwidth 18parsec"], "parsec"),
        (&["right", "--up", "codell"], "codell"),
        (&["right", "--up", "cake bandwidth 18"], "write `18mbit`"),
        (
            &["right", "--up", "cake bandwidth 1mbit", "--up-rate", "2mbit"],
            "has a rate of its own already",
        ),
        (&["right", "--up-rate", "2mbit"], "--up"),
        (&["right", "--up", "cake bandwidth 1mbit fwmark 0xff"], "fwmark"),
        (&["right", "--status"], "no shaper is at work on right"),
        (&["set", "right", "--up", "cake bandwidth 1mbit"], "no shaper is at work on right"),
        (&["set", "right"], "--up"),
    ] {
        let (code, said) = refused(&line, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
    line.wait_for_no_devices();
}

#[test]
fn one_shaper_is_enough() {
    let Some(line) = Line::new() else { return };
    let _shaper = line.shape(&["right", "--up", "cake bandwidth 18mbit"]);
    let (code, said) = refused(&line, &["right", "--down", "cake bandwidth 18mbit"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("a shaper of unbloat is at work on right"), "{said}");
    // Another interface is free.
    let other = line.chain.nodes[1]
        .run(|| line.command(&["left", "--up", "cake bandwidth 1mbit"]).spawn().unwrap())
        .unwrap();
    let mut other = other;
    pause(std::time::Duration::from_millis(500));
    assert!(other.try_wait().unwrap().is_none(), "it runs");
    other.kill().unwrap();
    other.wait().unwrap();
}

/// The user `nobody`.
const NOBODY: u32 = 65534;

#[test]
fn a_shaper_answers_no_other_user() {
    let Some(line) = Line::new() else { return };
    let _shaper = line.shape(&["right", "--up", "cake bandwidth 18mbit"]);
    let run = || line.command(&["right", "--status"]).uid(NOBODY).gid(NOBODY).output();
    let Ok(output) = line.chain.nodes[1].run(run).unwrap() else {
        return println!("skipped: nobody may not run the program where it lies");
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("answers only root, and the user that started it"), "{said}");
}

#[test]
fn who_may_not_is_told_what_is_missing() {
    let Some(line) = Line::new() else { return };
    let run = || {
        let mut command = line.command(&["right", "--up", "cake bandwidth 1mbit"]);
        command.uid(NOBODY).gid(NOBODY).output()
    };
    let Ok(output) = line.chain.nodes[1].run(run).unwrap() else {
        return println!("skipped: nobody may not run the program where it lies");
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for capability in ["CAP_BPF", "CAP_NET_ADMIN", "CAP_NET_RAW"] {
        assert!(said.contains(capability), "{said}");
    }
}
