//! The description of its link that a command gets, for example for the prompt of a shell.

use std::net::IpAddr;

use scenario::{Direction, RatePlan, Scenario};

/// The variables that a command's environment has besides ours.
pub(super) fn environment(scenario: &Scenario, peer: IpAddr) -> Vec<(&'static str, String)> {
    vec![("UNBLOAT_PEER", peer.to_string()), ("UNBLOAT_LINK", link(scenario))]
}

/// The link in one line.
fn link(scenario: &Scenario) -> String {
    let Some(link) = scenario.links.first() else { return String::new() };
    let (up, down) = (direction(&link.directions.forward), direction(&link.directions.reverse));
    match up == down {
        true => up,
        false => format!("up {up}, down {down}"),
    }
}

fn direction(direction: &Direction) -> String {
    let rate = match &direction.rate {
        None => "unlimited".into(),
        Some(RatePlan::Constant(rate)) => rate.to_string(),
        Some(RatePlan::Schedule(_)) => "changing rate".into(),
        Some(RatePlan::Trace { path, .. }) => path.clone(),
    };
    let queue = direction.queue.to_string();
    let text = format!("{rate} {} {}", direction.delay, queue.split(' ').next().unwrap_or("?"));
    // The path of a trace may hold control characters, such as line breaks.
    text.replace(char::is_control, "?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_one_line() {
        let text = r#"
            duration = "1s"
            [[link]]
            name = "wan"
            from = "you"
            to = "world"
            rate = "2mbit"
            delay = "10ms"
            queue = "fq_codel"
            reverse = { rate = "10mbit", queue = "bfifo limit 100kB" }
            [[flow]]
            name = "f"
            traffic = "bulk"
            from = "you"
            to = "world"
        "#;
        let none = |_: &str| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
        let scenario = Scenario::parse(text, "test", &[], &none).unwrap();
        let variables = environment(&scenario, [10, 0, 0, 2].into());
        assert_eq!(variables[0], ("UNBLOAT_PEER", "10.0.0.2".to_owned()));
        let (name, line) = &variables[1];
        assert_eq!(*name, "UNBLOAT_LINK");
        assert_eq!(line, "up 2mbit 10ms fq_codel, down 10mbit 10ms bfifo");
    }
}
