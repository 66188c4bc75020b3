//! The queues that are compared, with their buffers.

/// The path that a queue is configured for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) kbit: u64,
    pub(super) rtt_ms: u64,
    /// The longest packet in bytes.
    pub(super) mtu: u64,
    /// The packets that any queue may hold; with `None` each queue has its own suitable size.
    pub(super) buffer: Option<u64>,
}

impl Path {
    /// The bandwidth-delay product in bytes. As in the authors' scripts, the round trip is taken as
    /// at least 100 ms.
    pub(super) fn product(self) -> u64 {
        self.kbit * self.rtt_ms.max(100) / 8
    }

    /// The packets in this number of bandwidth-delay products, at least ten; or `buffer` if it is
    /// given.
    fn packets(self, products: u64) -> u64 {
        /// The article's buffer size for 1 Mbit/s.
        const LEAST: u64 = 10;
        self.buffer.unwrap_or((products * self.product()).div_ceil(self.mtu).max(LEAST))
    }

    /// A buffer large enough not to matter, and the `mtu` where it is not the default 1500. A queue
    /// with this setting drops nothing while it holds a full packet or less. The article's CoDel
    /// compares with the longest packet that it has seen.
    fn guarded(self) -> String {
        let limit = self.packets(LARGE);
        match self.mtu {
            1500 => format!("limit {limit}"),
            mtu => format!("limit {limit} mtu {mtu}"),
        }
    }
}

/// The bandwidth-delay products of a buffer large enough not to matter: "~8xBDP".
const LARGE: u64 = 8;

/// A queue and its setting for a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    /// The queue's name in figures.
    pub(super) name: &'static str,
    /// The queue's text in tc's syntax, for this path.
    pub(super) on: fn(Path) -> String,
}

/// The article's CoDel.
pub(super) const CODEL: Queue =
    Queue { name: "CoDel", on: |path| format!("codel {} variant paper2012", path.guarded()) };

/// RED with the settings that ns-2 derives from the link.
pub(super) const RED: Queue = Queue { name: "RED", on: red };

/// Tail drop with one bandwidth-delay product.
pub(super) const TAIL_DROP: Queue =
    Queue { name: "tail drop", on: |path| format!("pfifo limit {}", path.packets(1)) };

/// The queues of the article.
pub(super) const PAPERS: [Queue; 3] = [CODEL, RED, TAIL_DROP];

/// All other queues, beyond the article.
pub(super) const OTHERS: [Queue; 8] = [
    Queue { name: "CoDel, RFC 8289", on: |path| format!("codel {}", path.guarded()) },
    RED_TUNED,
    BLUE,
    Queue { name: "SFB", on: |path| format!("sfb limit {}", path.packets(1)) },
    Queue { name: "PIE", on: |path| format!("pie limit {}", path.packets(LARGE)) },
    Queue { name: "COBALT", on: |path| format!("cobalt {}", path.guarded()) },
    Queue { name: "FQ-CoDel", on: |path| format!("fq_codel {}", path.guarded()) },
    Queue { name: "FQ-COBALT", on: |path| format!("fq_cobalt {}", path.guarded()) },
];

/// BLUE with its default settings.
pub(super) const BLUE: Queue =
    Queue { name: "BLUE", on: |path| format!("blue limit {}", path.packets(1)) };

/// RED as well as it can be set by an operator who knows the rate: Adaptive RED (Floyd, Gummadi and
/// Shenker, 2001) with thresholds of 5 and 15 ms at that rate, but at least three and nine packets.
pub(super) const RED_TUNED: Queue = Queue {
    name: "RED, tuned",
    on: |path| {
        let min = (path.kbit * 5 / 8).max(3 * path.mtu);
        format!(
            "red min {min} max {} avpkt {} limit {} probability 0.1 adaptive variant gentle",
            3 * min,
            path.mtu,
            path.packets(LARGE) * path.mtu
        )
    },
};

/// All queues, the article's first.
pub(super) fn all() -> impl Iterator<Item = Queue> {
    PAPERS.into_iter().chain(OTHERS)
}

/// RED with the settings that ns-2 derives from the link. The settings stay when the rate changes.
fn red(path: Path) -> String {
    format!("red auto bandwidth {}kbit limit {}", path.kbit, path.packets(LARGE) * path.mtu)
}
