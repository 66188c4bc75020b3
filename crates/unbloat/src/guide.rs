//! What to type first, for those who typed no more than the program's name or `unbloat test`.

use report::{wrap, wrap_indented};

use crate::{settings, terminal};

/// A command to begin with.
struct Step {
    /// False if this program was built without the verb.
    is_there: bool,
    command: &'static str,
    purpose: &'static str,
}

const fn step(is_there: bool, command: &'static str, purpose: &'static str) -> Step {
    Step { is_there, command, purpose }
}

const SIMULATES: bool = cfg!(feature = "simulate");
const WATCHES: bool = cfg!(feature = "watch");

/// Kinds of users, and the first commands for each.
const STEPS: [(&str, &[Step]); 3] = [
    (
        "At home, your own line:",
        &[
            step(WATCHES, "watch 1.1.1.1 9.9.9.9", "who delays your packets, and when"),
            step(true, "serve", "on a machine elsewhere; then here:"),
            step(true, "test far.example.net", "grade, where the delay is, the fix"),
        ],
    ),
    (
        "On a router:",
        &[
            step(true, "doctor", "what is wrong with its queues"),
            step(true, "fix far.example.net --for openwrt", "what to type on it"),
        ],
    ),
    (
        "For research:",
        &[
            step(SIMULATES, "reproduce gettys", "a paper's figures, repeated"),
            step(SIMULATES, "lab --rate 2mbit --rtt 20ms", "a shell behind such a link"),
            step(SIMULATES, "pcap slow.pcap", "what happened to its connections"),
            step(SIMULATES, "sim --help", "links, queues, TCP in virtual time"),
        ],
    ),
];

/// The first commands for each kind of user.
pub(crate) fn first() -> String {
    const WIDE: usize = 79;
    let is_wide = terminal::columns() >= WIDE;
    let mut text = wrap("unbloat finds bufferbloat, explains it and fixes it.") + "\n";
    for (users, steps) in &STEPS {
        let steps: Vec<&Step> = steps.iter().filter(|step| step.is_there).collect();
        if !steps.is_empty() {
            text += &format!("\n{users}\n");
        }
        for Step { command, purpose, .. } in steps {
            text += &match is_wide {
                true => format!("  unbloat {command:<35}{purpose}\n"),
                false => format!("  unbloat {command}\n{}\n", wrap_indented(purpose, "      ")),
            };
        }
    }
    let more = "All commands: unbloat --help. Options of one command: unbloat test --help";
    text + "\n" + &wrap(more)
}

/// The ways on from `unbloat watch` without a target.
#[cfg(all(feature = "watch", target_os = "linux"))]
pub(crate) fn of_a_watch() -> String {
    "name a target: a watch probes hosts around the clock, and says when they were slow, and why\n\
     Two hosts of the internet that answer pings:\n  unbloat watch 1.1.1.1 9.9.9.9\n\
     Your router, a server of yours and a website too:\n  \
     unbloat watch 192.168.1.1 server:far.example.net https://example.org\n\
     Then load the line for 10 s, and stop: the watch names the cause of the delay."
        .into()
}

/// The ways on from `unbloat test` without a server.
pub(crate) fn of_a_test() -> String {
    let keep = match settings::path() {
        Some(path) => format!("server = \"far.example.net\" in {}", path.display()),
        None => "export UNBLOAT_SERVER=far.example.net".into(),
    };
    let watch = if WATCHES {
        "\nWithout a server of yours, while the line is in use:\n  unbloat watch 1.1.1.1 9.9.9.9"
    } else {
        ""
    };
    let responsiveness = match cfg!(feature = "responsiveness") {
        true => {
            "\nTo a server of the IETF's responsiveness (rpm):\n  \
             unbloat test --responsiveness https://rpm.example.net"
        }
        false => "",
    };
    format!(
        "name a server: a test loads the path to a machine that runs `unbloat serve`\n\
         There, such as on a rented machine, and then here:\n  unbloat serve\n  \
         unbloat test far.example.net{watch}{responsiveness}\n\
         To name it once for all: {keep}"
    )
}
