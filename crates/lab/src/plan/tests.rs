use scenario::Scenario;

use super::*;

/// A diamond, home - a or b - server, and a node beyond.
const DIAMOND: &str = r#"
    duration = "1s"
    link = [
        { name = "home-b", from = "home", to = "b", rate = "1mbit", queue = "codel" },
        { name = "home-a", from = "home", to = "a", rate = "1mbit", queue = "codel" },
        { name = "a-server", from = "a", to = "server", rate = "1mbit", queue = "codel" },
        { name = "server-b", from = "server", to = "b", rate = "1mbit", queue = "codel" },
        { name = "beyond", from = "server", to = "beyond", rate = "1mbit", queue = "codel" },
    ]
    flow = [
        { name = "up", from = "home", to = "server", traffic = "bulk" },
        { name = "down", from = "beyond", to = "home", traffic = "bulk", count = 2 },
    ]
"#;

fn plan(text: &str, network: u8) -> (Scenario, Plan) {
    let no_traces = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    let scenario = Scenario::parse(text, "test", &[], &no_traces).unwrap();
    let plan = Plan::in_network(&scenario, network);
    (scenario, plan)
}

#[test]
fn nodes_are_numbered_as_links_name_them() {
    let (_, plan) = plan(DIAMOND, 0);
    let nodes: Vec<_> = plan.nodes.iter().map(|node| (&*node.name, node.v4.to_string())).collect();
    assert_eq!(nodes[0], ("home", "10.0.0.1".into()));
    assert_eq!(nodes[4], ("beyond", "10.0.0.5".into()));
    assert_eq!(plan.nodes[4].v6.to_string(), "fd75:6e62:6c6f::5");
    assert_eq!((plan.links[3].from, plan.links[3].to), (3, 1));
}

#[test]
fn labs_in_labs_have_networks_of_their_own() {
    let (_, plan) = plan(DIAMOND, 7);
    assert_eq!(plan.nodes[0].v4.to_string(), "10.7.0.1");
    assert_eq!(plan.nodes[0].v6.to_string(), "fd75:6e62:6c6f:7::1");
    let far = node("far", 255, 300);
    assert_eq!((far.v4.to_string(), far.v6.segments()[7]), ("10.255.1.45".into(), 301));
}

#[test]
fn members_of_a_count_are_flows_with_ports_of_their_own() {
    let (_, plan) = plan(DIAMOND, 0);
    let flows: Vec<_> = plan.flows.iter().map(|flow| (&*flow.name, flow.port)).collect();
    assert_eq!(flows, [("up", 2000), ("down[0]", 2001), ("down[1]", 2002)]);
    assert_eq!((plan.flows[1].source, plan.flows[1].sink), (4, 0));
    let owners = [1999, 2000, 2002, 2003].map(|port| flow_of_port(port, plan.flows.len()));
    assert_eq!(owners, [None, Some(0), Some(2), None]);
}

/// The first flow crosses the same links as in the simulator, both ways.
#[test]
fn flows_go_where_the_simulator_sends_them() {
    let (scenario, plan) = plan(DIAMOND, 0);
    let routes = scenario.routes();
    let up = &plan.flows[0];
    assert_eq!(plan.path(up.source, up.sink), routes[0].hops);
    assert_eq!(plan.path(up.sink, up.source), routes[0].back().hops);
    // A reverse path from further away: the path from the server to home is decided already.
    let down = &plan.flows[1];
    assert_eq!(plan.path(down.source, down.sink), [9, 6, 1].map(DirectionId::from_index));
}

#[test]
fn everybody_reaches_everybody() {
    let (_, plan) = plan(DIAMOND, 0);
    for from in 0..plan.nodes.len() {
        for to in 0..plan.nodes.len() {
            let path = plan.path(from, to);
            assert!(path.len() <= 3 && path.is_empty() == (from == to), "{from} {to}: {path:?}");
        }
    }
}
