//! The chains of small networks.

use meter::Instruments;
use scenario::Scenario;

use crate::build;
use crate::fit::configs;
use crate::simulation::{Setup, instruments};
use crate::world::World;

/// The world of these links, each with a name, its ends, and further settings, and of these flows,
/// each with its ends.
fn world(links: &[(&str, &str, &str, &str)], flows: &[(&str, &str)]) -> World {
    let link = |(name, from, to, settings): &(&str, &str, &str, &str)| {
        format!("[[link]]\nname = '{name}'\nfrom = '{from}'\nto = '{to}'\n{settings}\n")
    };
    let flow = |(number, (from, to)): (usize, &(&str, &str))| {
        format!("[[flow]]\nname = 'f{number}'\nfrom = '{from}'\nto = '{to}'\ntraffic = 'bulk'\n")
    };
    let links: String = links.iter().map(link).collect();
    let flows: String = flows.iter().enumerate().map(flow).collect();
    let text = format!("duration = '1s'\n{links}{flows}");
    let scenario = Scenario::parse(&text, "test.toml", &[], &|_| unreachable!()).unwrap();
    let configs = configs(&scenario, &[]).unwrap();
    let instruments: Instruments = instruments(&scenario, &mut Setup::default()).unwrap();
    build::world(&scenario, &configs, Vec::new(), instruments)
}

/// The chains of a world: the numbers of their links' directions.
fn chains(world: &World) -> Vec<Vec<usize>> {
    let numbers = |chain: &super::Chain| chain.links.iter().map(|id| id.index()).collect();
    world.chains.iter().map(numbers).collect()
}

const SLOW: &str = "rate = '10mbit'\ndelay = '5ms'";

#[test]
fn links_in_a_row_are_a_chain_each_way() {
    let world = world(&[("a", "x", "y", SLOW), ("b", "y", "z", SLOW)], &[("x", "z")]);
    assert_eq!(chains(&world), [vec![3, 1], vec![0, 2]]);
}

#[test]
fn a_flow_that_joins_in_between_ends_a_chain() {
    let links = [("a", "x", "y", SLOW), ("b", "y", "z", SLOW), ("c", "z", "w", SLOW)];
    let world = world(&links, &[("x", "w"), ("y", "w")]);
    assert_eq!(chains(&world), [vec![0], vec![1], vec![5, 3], vec![2, 4]]);
}

#[test]
fn a_junction_ends_a_chain() {
    let links = [("a", "x", "m", SLOW), ("b", "y", "m", SLOW), ("c", "m", "z", SLOW)];
    let world = world(&links, &[("x", "z"), ("y", "z")]);
    assert_eq!(chains(&world).len(), 6);
}

#[test]
fn a_link_without_a_delay_is_alone() {
    let links = [("a", "x", "y", SLOW), ("b", "y", "z", "rate = '10mbit'"), ("c", "z", "w", SLOW)];
    let world = world(&links, &[("x", "w")]);
    assert_eq!(chains(&world).len(), 6);
    assert!(!world.directions[0].departs_in_turn && world.directions[2].departs_in_turn);
}

/// A packet may leave a shaper and arrive at one instant.
#[test]
fn a_shaper_without_a_delay_separates_all_links() {
    let shaper = "rate = '10mbit'\nshaper = true";
    let links = [("a", "x", "y", SLOW), ("b", "y", "z", SLOW), ("c", "z", "w", shaper)];
    let world = world(&links, &[("x", "w")]);
    assert!(world.directions.iter().all(|direction| direction.departs_in_turn));
    assert_eq!(chains(&world).len(), 6);
}
