//! The scenarios that ship show what their comments say.

use std::path::Path;

use results::Document;
use scenario::{Override, Scenario};

mod support;
use support::{flow, spread};

/// The result of a scenario that ships, in which these fields have other values.
fn result(name: &str, overrides: &[&str]) -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    let scenario = Scenario::load(&path, &overrides).unwrap();
    sim::run(&scenario, sim::Options::default()).unwrap()
}

fn goodput(document: &Document, name: &str) -> f64 {
    flow(document, name).goodput_mbit.unwrap()
}

/// Each queue lets the few packets of the game pass that has flows; only CAKE's division by
/// computer leaves the stream, 2 Mbit/s of them, what it needs.
#[test]
fn a_player_is_one_of_two_computers_not_one_of_forty_two_flows() {
    let with = |queue: &str| {
        let overrides = ["duration=30s".to_owned(), format!("link.uplink.queue={queue}")];
        let document = result("game-against-torrent.toml", &overrides.each_ref().map(|one| &**one));
        (spread(flow(&document, "game")).p95.unwrap(), goodput(&document, "stream"))
    };
    let (plain, fair) = (with("pfifo limit 1000"), with("fq_codel"));
    let flows = with("cake bandwidth 9500kbit flows");
    let hosts = with("cake bandwidth 9500kbit dual-srchost");
    assert!(plain.0 > 500.0 && fair.0 < 60.0 && flows.0 < 30.0 && hosts.0 < 30.0);
    assert!(fair.1 < 0.5 && flows.1 < 0.5, "{fair:?} {flows:?}");
    assert!(hosts.1 > 1.9, "{hosts:?}");
}

/// With the filter no acknowledgement waits long, and both have more.
#[test]
fn a_download_needs_few_of_its_acknowledgements() {
    let with = |filter: &str| {
        let queue = format!("link.access.queue=cake bandwidth 950kbit docsis {filter}");
        let document = result("asymmetric-line.toml", &[&queue]);
        let rtt_ms = spread(flow(&document, "download")).p95.unwrap();
        (goodput(&document, "download"), goodput(&document, "upload"), rtt_ms)
    };
    let (all, few) = (with("no-ack-filter"), with("ack-filter"));
    assert!(few.0 > 1.05 * all.0 && few.1 > 1.02 * all.1, "{few:?} beside {all:?}");
    assert!(few.2 < 0.5 * all.2, "{few:?} beside {all:?}");
}

#[test]
fn a_call_sounds_well_in_a_tin_of_its_own() {
    let score = |tins: &str| {
        let queue = format!("link.uplink.queue=cake bandwidth 950kbit {tins}");
        let document = result("voice-tin.toml", &["duration=30s", &queue]);
        flow(&document, "call").mos.unwrap()
    };
    let (shared, own) = (score("besteffort"), score("diffserv3"));
    assert!(shared < 2.6, "{shared}");
    assert!(own > 4.3, "{own}");
}

/// With the keyword the film and the photos get what they can use of their host's part; without it,
/// as much as any of the flows.
#[test]
fn hosts_behind_one_address_share_the_line() {
    let with = |nat: &str| {
        let up = format!("link.line.queue=cake bandwidth 19mbit dual-srchost docsis {nat}");
        let down = format!(
            "link.line.reverse.queue=cake bandwidth 47500kbit dual-dsthost docsis ingress {nat}"
        );
        let document = result("behind-nat.toml", &["duration=30s", &up, &down]);
        (goodput(&document, "film"), goodput(&document, "photos"))
    };
    let (known, hidden) = (with("nat"), with("nonat"));
    assert!(known.0 > 18.0 && known.1 > 5.0, "{known:?}");
    assert!(hidden.0 < 6.0 && hidden.1 < 1.0, "{hidden:?}");
}

/// The film among forty seeds: one computer of two, a flow that goes before those that can wait, or
/// one flow of forty-one.
#[test]
fn a_household_shares_by_computer_and_by_what_can_wait() {
    let with = |queue: &str| {
        let queue = format!("link.uplink.queue={queue}");
        let document = result("household.toml", &["duration=30s", &queue]);
        let call = flow(&document, "call").mos.unwrap();
        let game = spread(flow(&document, "game")).p95.unwrap();
        (goodput(&document, "film"), call, game)
    };
    let cake = |more: &str| with(&format!("cake bandwidth 19mbit dual-srchost docsis {more}"));
    let (tins, hosts, flows) = (cake("nat"), cake("nat besteffort"), cake("besteffort"));
    let (fair, plain) = (with("fq_codel"), with("pfifo limit 1000"));
    assert!(tins.0 > 14.0 && (6.0..10.0).contains(&hosts.0), "{tins:?} {hosts:?}");
    assert!(flows.0 < 1.0 && fair.0 < 1.0, "{flows:?} {fair:?}");
    assert!(tins.1 > 4.3 && hosts.1 > 4.3 && plain.1 < 2.6, "{tins:?} {hosts:?} {plain:?}");
    assert!(tins.2 < 35.0 && hosts.2 < 35.0 && plain.2 > 500.0, "{tins:?} {hosts:?} {plain:?}");
}

/// The rate of an ADSL modem counts cells. A shaper that counts them too leaves the modem's buffer
/// empty; one that counts packets fills it, and so does one that forgets the cells.
#[test]
fn a_wrong_overhead_brings_the_bloat_back() {
    let with = |framing: &str| {
        let queue = format!("link.router.queue=cake bandwidth 950kbit {framing}");
        let document = result("adsl.toml", &[&queue]);
        (spread(flow(&document, "ping")).p95.unwrap(), goodput(&document, "backup"))
    };
    let (right, cautious) = (with("pppoe-llcsnap"), with("overhead 44 atm"));
    let (none, flat) = (with("raw"), with("overhead 40"));
    assert!(right.0 < 80.0 && cautious.0 < 80.0, "{right:?} {cautious:?}");
    assert!(none.0 > 1000.0 && flat.0 > 1000.0, "{none:?} {flat:?}");
    // The shaper's rate is 95 % of the modem's; more cannot be gained by filling the modem.
    assert!(right.1 > 0.94 * none.1, "{right:?} {none:?}");
}
