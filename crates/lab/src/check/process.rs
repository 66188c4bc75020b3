//! Tries the rights of a process.

use std::io;
use std::{fs, thread};

use sandbox::{Isolation, isolate};
use scenario::Scenario;

use super::{Finding, refused, said};
use crate::{Ended, Options, inside};

pub(super) fn user_namespace() -> Finding {
    let outcome = isolate().map_err(|error| error.to_string()).map(|isolation| match isolation {
        Isolation::UserNamespace => "no privilege is needed".into(),
        Isolation::Root => "forbidden, but root needs none".into(),
    });
    Finding::needed("user namespace", outcome)
}

pub(super) fn all() -> Vec<Finding> {
    [command(), vec![real_time(), resolver()]].concat()
}

/// Runs a command that does nothing, and reports the things that it had to do without.
fn command() -> Vec<Finding> {
    const LINK: &str = r#"
        duration = "1s"
        link = [{ name = "link", from = "near", to = "far", delay = "1ms", queue = "pfifo limit 1000" }]
        flow = [{ name = "none", from = "near", to = "far", traffic = "bulk" }]
    "#;
    let no_traces = |_: &str| Err(io::ErrorKind::NotFound.into());
    let ended = Scenario::parse(LINK, "the check", &[], &no_traces)
        .map_err(|error| error.to_string())
        .and_then(|scenario| {
            let options = Options::default();
            inside(&scenario, &["true".into()], options).map_err(|error| error.to_string())
        });
    match ended {
        Ok((_, Ended { code: 0, notes })) => {
            let runs = Finding::needed("command", said("runs, and leaves nothing behind"));
            let lacks = notes.into_iter().map(|note| Finding::welcome("command", Err(note)));
            std::iter::once(runs).chain(lacks).collect()
        }
        Ok((_, Ended { code, .. })) => {
            vec![Finding::needed("command", Err(format!("`true` ended with {code} inside")))]
        }
        Err(error) => vec![Finding::needed("command", Err(error))],
    }
}

/// Tries on a new thread, since the priority ends with the thread.
fn real_time() -> Finding {
    let broken = |_| Err(io::Error::other("it has failed; please report this"));
    let attempt = thread::spawn(sandbox::use_real_time).join().unwrap_or_else(broken);
    let outcome =
        attempt.map(|()| "packets have priority over all other work".into()).map_err(|error| {
            refused(
                &error,
                "runs on a busy machine are late more often; `ulimit -r 1`, or a line \
                             `@users - rtprio 1` in /etc/security/limits.conf, would allow it",
            )
        });
    Finding::welcome("real-time priority", outcome)
}

fn resolver() -> Finding {
    const CONF: &str = "/etc/resolv.conf";
    let outcome = match fs::read_to_string(CONF) {
        Ok(text) if text.lines().any(|line| line.trim_start().starts_with("nameserver")) => {
            said("commands can look up names")
        }
        Ok(_) => Err(format!("{CONF} names none; commands can use addresses only")),
        Err(error) => Err(format!("{CONF}: {error}; commands can use addresses only")),
    };
    Finding::welcome("resolver", outcome)
}
