//! Checks whether the simulator can run a scenario.

use std::sync::Arc;

use scenario::{Flow, Scenario};
use transport::{Config, Congestion};

use crate::congestion::ForeignCongestion;

/// The options of the connections of each flow, in the order of the scenario.
///
/// # Errors
/// If a flow asks for a feature that the simulator does not have: the field, and the value to write
/// instead.
pub fn fit(scenario: &Scenario) -> Result<Vec<Arc<Config>>, String> {
    configs(scenario, &[])
}

/// The options of the connections of each flow, with the congestion controls of the caller.
pub(crate) fn configs(
    scenario: &Scenario,
    foreign: &[ForeignCongestion],
) -> Result<Vec<Arc<Config>>, String> {
    let config = |(index, flow): (usize, &Flow)| {
        let foreign = foreign.iter().find(|it| it.flow == index);
        let foreign = foreign.map(|it| Ok(Congestion::Foreign(it.factory.clone())));
        let congestion = foreign.unwrap_or_else(|| listed(flow))?;
        Ok(Arc::new(flow.tcp.clone().with_congestion(congestion)))
    };
    scenario.flows.iter().enumerate().map(config).collect()
}

/// The congestion control that the scenario names.
fn listed(flow: &Flow) -> Result<Congestion, String> {
    flow.tcp.congestion.simulated().ok_or_else(|| {
        format!(
            "flow.{}.congestion: the simulator has no bbr; write \"cubic\", \"reno\" or \"ledbat\", \
             or run it with the kernel's: `unbloat lab`",
            flow.name
        )
    })
}

#[cfg(test)]
mod tests {
    use std::io;

    use transport::Congestion;
    use units::Span;

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
        for (known, fitting) in [
            ("cubic", Congestion::CUBIC),
            ("reno", Congestion::Reno),
            ("ledbat", Congestion::Ledbat { target: Span::from_millis(100), gain: 1.0 }),
        ] {
            let configs = fit(&scenario(known)).unwrap();
            assert_eq!(configs[0].congestion, fitting);
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
