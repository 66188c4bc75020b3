//! The reason why a test is incomplete, in words.

use observation::{Heading, Incomplete};
use results::{Measurement, Recording};

/// The reason why the measurement is incomplete, in words without a full stop at the end; if it is
/// not there as data, the words that the document has. `None` if the measurement is complete.
pub(super) fn partial(measurement: &Measurement) -> Option<String> {
    words(measurement.partial_reason.as_ref(), &measurement.partial)
}

/// The reason why a recording is incomplete, in the same form; `None` if it is complete.
pub(super) fn recording_partial(recording: &Recording) -> Option<String> {
    words(recording.partial_reason.as_ref(), &recording.partial)
}

fn words(reason: Option<&Incomplete>, said: &Option<String>) -> Option<String> {
    reason.map(clause).or_else(|| said.clone())
}

fn clause(reason: &Incomplete) -> String {
    match reason {
        Incomplete::Interrupted => "it was interrupted".into(),
        Incomplete::FlowFailed { error } => format!("a flow could not begin: {error}"),
        Incomplete::Slept => "this computer slept during the test".into(),
        Incomplete::StoodStill { duration_s } => format!(
            "this program stood still for {duration_s:.1} s during the test: it was stopped, or the \
             machine had no time for it"
        ),
        Incomplete::AddressChanged { from, to } => {
            format!("our own address changed from {from} to {to}")
        }
        Incomplete::NoRoute { server } => format!("there is no route to {server} any more"),
        Incomplete::ServerClosed => "the server ended the test: it closed the connection".into(),
        Incomplete::ServerSilent => {
            "nothing comes from the server any more: the link was cut, or the server is gone".into()
        }
        Incomplete::LargeLost { heading, largest_bytes } => large_lost(*heading, *largest_bytes),
    }
}

fn large_lost(heading: Heading, largest_bytes: Option<u64>) -> String {
    let way = match heading {
        Heading::Up => "to",
        Heading::Down => "from",
    };
    let size = match largest_bytes {
        Some(bytes) => format!("of {bytes} bytes"),
        None => "as large as our network takes".into(),
    };
    format!(
        "packets {size} are lost on the path {way} the server, and small packets arrive: a router \
         there does not accept such large packets, and its ICMP message about that is blocked \
         (path MTU discovery fails). Many web pages would not load"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_told_with_its_figures() {
        let [from, to] = [1, 2].map(|host| [192, 0, 2, host].into());
        let heading = Heading::Up;
        for (reason, said) in [
            (Incomplete::Interrupted, "interrupted"),
            (Incomplete::FlowFailed { error: "reset".into() }, "could not begin: reset"),
            (Incomplete::Slept, "computer slept"),
            (Incomplete::StoodStill { duration_s: 2.54 }, "still for 2.5 s"),
            (Incomplete::AddressChanged { from, to }, "from 192.0.2.1 to 192.0.2.2"),
            (Incomplete::NoRoute { server: to }, "no route to 192.0.2.2"),
            (Incomplete::ServerClosed, "closed the connection"),
            (Incomplete::ServerSilent, "nothing comes from the server"),
            (
                Incomplete::LargeLost { heading, largest_bytes: Some(1500) },
                "packets of 1500 bytes are lost on the path to the server",
            ),
            (
                Incomplete::LargeLost { heading: Heading::Down, largest_bytes: None },
                "packets as large as our network takes are lost on the path from the server",
            ),
        ] {
            let told = clause(&reason);
            assert!(told.contains(said) && !told.ends_with('.'), "{told}");
        }
    }

    #[test]
    fn words_without_a_reason_are_kept() {
        let partial_reason = Some(Incomplete::ServerClosed);
        let mut measurement = Measurement { partial_reason, ..Measurement::default() };
        measurement.partial = Some("as it was told before".into());
        assert_eq!(partial(&measurement), Some(clause(&Incomplete::ServerClosed)));
        measurement.partial_reason = None;
        assert_eq!(partial(&measurement).as_deref(), Some("as it was told before"));
        assert_eq!(partial(&Measurement::default()), None);
    }
}
