//! A case: a path, and the load on it.

use std::fmt;

use results::SpikeCause;
use units::Rng;

use crate::truth::draw;
use crate::truth::path::{Neighbour, Path, PathDirection};
use crate::watch::matrix::Happened;

/// The longest and the shortest full queue, in milliseconds: what is shorter may be no spike, and what is longer
/// does not fill in the time of a load.
const QUEUE_MS: [f64; 2] = [80.0, 2500.0];
/// The greatest rate in Mbit/s, since several cases share this machine.
const MOST_MBIT: f64 = 20.0;

/// Whose the load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Load {
    OwnUpload,
    OwnDownload,
    OwnBoth,
    OthersUpload,
    OthersDownload,
    /// Somebody else's on a link that only one of the targets is behind.
    AtTarget,
    Nothing,
}

impl Happened for Load {
    fn is_right(self, cause: SpikeCause) -> bool {
        match self {
            Self::OwnUpload => cause == SpikeCause::OwnUpload,
            Self::OwnDownload => cause == SpikeCause::OwnDownload,
            Self::OwnBoth => matches!(cause, SpikeCause::OwnUpload | SpikeCause::OwnDownload),
            Self::OthersUpload | Self::OthersDownload => cause == SpikeCause::Line,
            Self::AtTarget => cause == SpikeCause::Target,
            Self::Nothing => false,
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OwnUpload => "own upload",
            Self::OwnDownload => "own download",
            Self::OwnBoth => "own, both directions",
            Self::OthersUpload => "somebody else's upload",
            Self::OthersDownload => "somebody else's download",
            Self::AtTarget => "a load before one target",
            Self::Nothing => "nothing",
        })
    }
}

/// A case. It is a function of its seed.
pub(super) struct Case {
    pub(super) seed: u64,
    pub(super) path: Path,
    pub(super) load: Load,
    /// True for data that go up; of one's own load in both directions, it says nothing.
    pub(super) up: bool,
    pub(super) connections: usize,
    /// The seconds from the start of the watch to that of the load, and its length.
    pub(super) start_s: f64,
    pub(super) length_s: f64,
}

impl Case {
    pub(super) fn draw(seed: u64) -> Self {
        let mut rng = Rng::new(seed).fork("watched path");
        let path =
            (0..).map(|index| draw::path(seed, index)).find(suits).expect("one of them suits");
        let up = rng.below(2) == 0;
        let way = if up { &path.up } else { &path.down };
        // A queue towards the server's link, or at the server, is behind the last router.
        let is_at_target = way.node >= path.routers + usize::from(!up);
        let load = match (rng.below(5), up) {
            (0, _) => Load::Nothing,
            (1, _) => Load::OwnBoth,
            (2, true) => Load::OwnUpload,
            (2, false) => Load::OwnDownload,
            _ if is_at_target => Load::AtTarget,
            (_, true) => Load::OthersUpload,
            (_, false) => Load::OthersDownload,
        };
        let connections = 1 + rng.below(4) as usize;
        let start_s = 15.0 + 10.0 * rng.next_f64();
        let length_s = 6.0 + 19.0 * rng.next_f64();
        Self { seed, path: tamed(path), load, up, connections, start_s, length_s }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, load, connections, start_s, length_s, .. } = self;
        write!(f, "{load} by {connections} TCP from {start_s:.1} s for {length_s:.1} s; {path}")
    }
}

/// True for a path both of whose queues can make a spike.
fn suits(path: &Path) -> bool {
    let is_calm = |way: &PathDirection| {
        let is_long = way.queue.as_ref().is_some_and(|queue| {
            (QUEUE_MS[0]..QUEUE_MS[1]).contains(&queue.full_ms()) && queue.mbit <= MOST_MBIT
        });
        is_long && way.second.is_none() && way.loss == 0.0 && way.varies_s.is_none()
    };
    is_calm(&path.up) && is_calm(&path.down) && path.up.node >= 1 && path.down.node >= 2
}

/// The path with a place for a neighbour, and without what would hide the load.
fn tamed(path: Path) -> Path {
    let neighbour = Neighbour { up: true, connections: 1, part: 0.0, seconds: None };
    Path {
        favoured: None,
        block: None,
        busy: None,
        server_limit: None,
        neighbour: Some(neighbour),
        ..path
    }
}
