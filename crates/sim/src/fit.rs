//! The features that the simulator does not have.

use scenario::{Congestion, Scenario};

/// Checks that the simulator can run this scenario.
///
/// # Errors
/// If it asks for a feature that the simulator does not have: the field, and what to write instead.
pub fn fit(scenario: &Scenario) -> Result<(), String> {
    let is_foreign =
        |flow: &&scenario::Flow| flow.traffic.is_tcp() && flow.tcp.congestion == Congestion::Bbr;
    match scenario.flows.iter().find(is_foreign) {
        None => Ok(()),
        Some(flow) => Err(format!(
            "flow.{}.congestion: the simulator has no bbr; write \"cubic\", \"reno\" or \"ledbat\", or \
             run it with the kernel's: `unbloat lab`",
            flow.name
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn scenario(congestion: &str) -> Scenario {
        let text = format!(
            "duration = \"1s\"\n\
             link = [{{ name = \"up\", from = \"a\", to = \"b\", rate = \"1mbit\" }}]\n\
             flow = [{{ name = \"backup\", from = \"a\", to = \"b\", traffic = \"bulk\", \
             congestion = \"{congestion}\" }}]"
        );
        let no_traces = |_: &str| Err(io::ErrorKind::NotFound.into());
        Scenario::parse(&text, "fit.toml", &[], &no_traces).unwrap()
    }

    #[test]
    fn what_it_does_not_have_is_named() {
        for known in ["cubic", "reno", "ledbat"] {
            assert_eq!(fit(&scenario(known)), Ok(()));
        }
        let error = crate::run(&scenario("bbr"), crate::Options::default()).unwrap_err();
        assert!(matches!(error, crate::Error::Unfit(_)), "{error:?}");
        let message = error.to_string();
        assert!(
            message.starts_with("flow.backup.congestion: the simulator has no bbr"),
            "{message}"
        );
        assert!(message.contains("unbloat lab"), "{message}");
    }
}
