use clap::Parser;
use scenario::Scenario;

use super::*;
use crate::args::{Args, Verb};

const NETWORK: &str = r#"
    duration = "10s"
    [[link]]
    name = "lan"
    from = "home"
    to = "router"
    rate = "100mbit"
    [[link]]
    name = "access"
    from = "router"
    to = "isp"
    rate = [["0s", "10mbit"], ["5s", "2mbit"]]
    [link.reverse]
    rate = "1mbit"
    [[link]]
    name = "spare"
    from = "isp"
    to = "elsewhere"
    rate = "1kbit"
    [[flow]]
    name = "up"
    from = "home"
    to = "isp"
    traffic = "bulk"
"#;

fn network(also: &str) -> Scenario {
    let text = format!("{NETWORK}{also}");
    let no_trace = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    Scenario::parse(&text, "network.toml", &[], &no_trace).expect("a scenario")
}

fn typed(arguments: &str) -> SimArgs {
    let line = format!("unbloat sim network.toml {arguments}");
    match Args::parse_from(line.split_whitespace()).verb {
        Some(Verb::Sim(args)) => args,
        _ => panic!("not what was typed"),
    }
}

#[test]
fn the_bottleneck_is_the_slowest_that_data_crosses() {
    // Neither the reverse direction, which carries acknowledgements only, nor the link that no flow
    // crosses.
    let scenario = network("");
    assert_eq!(scenario.direction_name(scenario.bottleneck()), "access.forward");
    let down = "[[flow]]\nname = \"down\"\nfrom = \"isp\"\nto = \"home\"\ntraffic = \"bulk\"\n";
    let scenario = network(down);
    assert_eq!(scenario.direction_name(scenario.bottleneck()), "access.reverse");
    // A call does not fill a link.
    let call = "[[flow]]\nname = \"call\"\nfrom = \"isp\"\nto = \"home\"\ntraffic = \"voip\"\n";
    let scenario = network(call);
    assert_eq!(scenario.direction_name(scenario.bottleneck()), "access.forward");
}

#[test]
fn one_queue_is_replaced_and_no_other() {
    let scenario = network("");
    let args = typed("--compare codel pie --compare-link access.reverse");
    let comparison = Comparison::of(&scenario, Path::new("network.toml"), &args).unwrap();
    assert_eq!(scenario.direction_name(comparison.place), "access.reverse");
    assert_eq!(comparison.runs.len(), 2);
    for (queue, changed) in &comparison.runs {
        let link = &changed.links[1];
        assert!(link.directions.reverse.queue.to_string().starts_with(queue.as_str()));
        assert_eq!(link.directions.forward, scenario.links[1].directions.forward);
        assert_eq!(changed.links[0], scenario.links[0]);
    }
}

#[test]
fn a_link_that_does_not_exist_is_an_error_that_names_those_that_do() {
    let args = typed("--compare codel --compare-link uplink");
    let Err(Failure::Input(message)) =
        Comparison::of(&network(""), Path::new("network.toml"), &args)
    else {
        panic!("accepted a dangling name");
    };
    for part in ["--compare-link", "uplink", "lan, access, spare"] {
        assert!(message.contains(part), "{message}");
    }
}
