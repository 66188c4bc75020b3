//! Paths on which a test once made a false statement, each with its name in docs/diagnosis.md.
//!
//! The paths can be run again on a real kernel. Statements about them are judged as those about any
//! other path.

use observation::Heading;

use super::path::{Block, End, Favoured, Limit, Neighbour, Path, PathDirection, Queue, Shaper};

/// The bytes of a kilobyte in buffer sizes.
const KIB: f64 = 1024.0;

/// A name, and the change that makes the path special.
type Named = (&'static str, fn(&mut Path));

/// All named paths, in the order of docs/diagnosis.md.
const NAMED: [Named; 20] = [
    ("neighbour-tcp", |path| {
        path.down = way(2, 40.0, Limit::Packets(200.0));
        path.neighbour = Some(neighbour(Heading::Down, 2));
    }),
    ("reno", |path| {
        path.down = way(2, 40.0, Limit::Packets(200.0));
        path.congestion = "reno".into();
    }),
    ("two-policers", |path| {
        (path.up, path.down) = (policed(1, 10.0), policed(2, 20.0));
    }),
    ("udp-first", |path| {
        (path.up, path.down) = modem();
        path.favoured = Some(Favoured::Udp);
    }),
    ("icmp-first", |path| {
        (path.up, path.down) = modem();
        path.favoured = Some(Favoured::Icmp);
    }),
    ("neighbour-udp", |path| {
        path.up = way(1, 10.0, Limit::Bytes(126.8e3));
        path.neighbour = Some(neighbour(Heading::Up, 0));
    }),
    ("neighbour-brief", |path| {
        path.up = way(1, 10.0, Limit::Bytes(126.8e3));
        path.neighbour =
            Some(Neighbour { seconds: Some([8.0, 12.0]), ..neighbour(Heading::Up, 2) });
    }),
    ("no-bottleneck", |path| (path.up.queue, path.down.queue) = (None, None)),
    ("busy-client", |path| path.busy = Some(End::Client)),
    ("server-rate", |path| path.server_limit = Some(5.0)),
    ("five-packets", |path| {
        path.up = way(1, 10.0, Limit::Packets(5.0));
        path.down = way(2, 20.0, Limit::Packets(5.0));
    }),
    ("random-loss", |path| {
        path.down = PathDirection { loss: 0.02, ..way(2, 40.0, Limit::Packets(200.0)) };
    }),
    ("own-shaper", |path| {
        path.up = way(0, 5.0, Limit::Bytes(64.0 * KIB));
        path.offload = true;
    }),
    ("lumps", |path| {
        (path.up, path.down) =
            (way(1, 4.0, Limit::Bytes(128.0 * KIB)), way(2, 10.0, Limit::Bytes(256.0 * KIB)));
        path.offload = true;
    }),
    ("two-queues", |path| {
        let second = |mbit, bytes| Queue { mbit, shaper: Shaper::Htb, limit: Limit::Bytes(bytes) };
        (path.routers, path.delay_link) = (3, 3);
        (path.up.node, path.down.node) = (2, 2);
        path.up.second = Some((1, second(10.5, 128.0 * KIB)));
        path.down.second = Some((3, second(42.0, 256.0 * KIB)));
    }),
    ("pfifo-200", |path| {
        path.up = way(1, 10.0, Limit::Packets(200.0));
        path.down = way(2, 20.0, Limit::Packets(200.0));
    }),
    ("pfifo-1000", |path| path.up = way(1, 1.0, Limit::Packets(1000.0))),
    ("long-queue", |path| {
        path.up = way(1, 0.5, Limit::Bytes(475e3));
        path.down = way(2, 8.0, Limit::Bytes(128.0 * KIB));
    }),
    ("large-swallowed", |path| path.block = Some(Block::Large)),
    ("udp-swallowed", |path| path.block = Some(Block::Udp)),
];

/// The paths of these names; all if there is none.
pub(crate) fn paths(names: &[String]) -> Result<Vec<Path>, String> {
    let known = |name: &String| NAMED.iter().any(|(known, _)| known == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let all: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
        return Err(format!("no path is called `{unknown}`; choose of {}", all.join(", ")));
    }
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let all = NAMED.iter().zip(0..).filter(|((name, _), _)| is_wanted(name));
    Ok(all.map(|((name, change), index)| path(name, index, *change)).collect())
}

/// A home's line of 10 and 40 Mbit/s, with this change.
fn path(name: &str, index: u64, change: fn(&mut Path)) -> Path {
    let mut path = Path {
        name: Some(name.into()),
        seed: 0,
        index,
        routers: 2,
        rtt_ms: 20.0,
        jitter_ms: 0.0,
        delay_link: 2,
        offload: false,
        ipv6: false,
        nat: false,
        up: way(1, 10.0, Limit::Bytes(128.0 * KIB)),
        down: way(2, 40.0, Limit::Bytes(256.0 * KIB)),
        favoured: None,
        neighbour: None,
        deaf: None,
        block: None,
        server_limit: None,
        busy: None,
        congestion: "cubic".into(),
        arguments: Vec::new(),
    };
    change(&mut path);
    path
}

fn way(node: usize, mbit: f64, limit: Limit) -> PathDirection {
    let queue = Some(Queue { mbit, shaper: Shaper::Htb, limit });
    PathDirection { node, queue, second: None, loss: 0.0, varies_s: None }
}

fn policed(node: usize, mbit: f64) -> PathDirection {
    let shaper = Shaper::Policer { bytes: 32.0 * KIB };
    let queue = Some(Queue { mbit, shaper, limit: Limit::Nothing });
    PathDirection { queue, ..way(node, mbit, Limit::Nothing) }
}

/// Both directions of a modem, with buffers of 128 KiB.
fn modem() -> (PathDirection, PathDirection) {
    (way(1, 10.0, Limit::Bytes(128.0 * KIB)), way(2, 40.0, Limit::Bytes(128.0 * KIB)))
}

/// A neighbour whose traffic lasts the whole time. Its UDP takes half of the line.
fn neighbour(heading: Heading, connections: usize) -> Neighbour {
    Neighbour { up: heading == Heading::Up, connections, part: 0.5, seconds: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_its_name() {
        let all = paths(&[]).unwrap();
        assert_eq!(all.len(), NAMED.len());
        let one = paths(&["pfifo-1000".into()]).unwrap();
        assert_eq!(one, [all.iter().find(|path| path.key() == "pfifo-1000").unwrap().clone()]);
        assert!(paths(&["pfifo-10".into()]).unwrap_err().contains("pfifo-1000"));
    }

    #[test]
    fn no_two_have_one_name_and_none_is_like_another() {
        let all = paths(&[]).unwrap();
        for (index, path) in all.iter().enumerate() {
            for other in &all[..index] {
                assert_ne!(path.name, other.name);
                assert_ne!(
                    Path { name: None, index: 0, ..path.clone() },
                    Path { name: None, index: 0, ..other.clone() }
                );
            }
        }
    }
}
