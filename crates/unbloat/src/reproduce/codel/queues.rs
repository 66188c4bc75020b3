//! Who competes, and with what buffer.

/// What a queue is set up for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) kbit: u64,
    pub(super) rtt_ms: u64,
    /// Bytes of the longest packet.
    pub(super) mtu: u64,
    /// Packets that any queue may hold; each what suits it if nothing is said.
    pub(super) buffer: Option<u64>,
}

impl Path {
    /// The bandwidth-delay product in bytes. As in the authors' scripts a buffer is for 100 ms at
    /// least.
    pub(super) fn product(self) -> u64 {
        self.kbit * self.rtt_ms.max(100) / 8
    }

    /// Packets in so many bandwidth-delay products, and ten at least.
    fn packets(self, products: u64) -> u64 {
        /// What the article calls a size for 1 Mbit/s.
        const LEAST: u64 = 10;
        self.buffer.unwrap_or((products * self.product()).div_ceil(self.mtu).max(LEAST))
    }

    /// A buffer that does not matter, for queues that drop nothing while a full packet or less is
    /// left: what that is, unless it is what a link takes for it. The article's CoDel looks at the
    /// longest packet that it has seen.
    fn guarded(self) -> String {
        let limit = self.packets(LARGE);
        match self.mtu {
            1500 => format!("limit {limit}"),
            mtu => format!("limit {limit} mtu {mtu}"),
        }
    }
}

/// "~8xBDP": so large that it does not matter.
const LARGE: u64 = 8;

/// A queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    /// As the figures have it.
    pub(super) name: &'static str,
    /// As tc writes it, on this path.
    pub(super) on: fn(Path) -> String,
}

/// CoDel as the article has it.
pub(super) const CODEL: Queue =
    Queue { name: "CoDel", on: |path| format!("codel {} variant paper2012", path.guarded()) };

/// RED with the settings that ns-2 derives from the link.
pub(super) const RED: Queue = Queue { name: "RED", on: red };

/// Tail drop with one bandwidth-delay product.
pub(super) const TAIL_DROP: Queue =
    Queue { name: "tail drop", on: |path| format!("pfifo limit {}", path.packets(1)) };

/// Those of the article.
pub(super) const PAPERS: [Queue; 3] = [CODEL, RED, TAIL_DROP];

/// Beyond the article: all others that there are.
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

/// RED as well as we could set it, by somebody who knows the rate: Adaptive RED (Floyd, Gummadi and
/// Shenker, 2001) whose thresholds are 5 and 15 ms of it, but three and nine packets at least.
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

/// All of them, the article's first.
pub(super) fn all() -> impl Iterator<Item = Queue> {
    PAPERS.into_iter().chain(OTHERS)
}

/// RED with the settings that ns-2 derives from the link; they stay when its rate changes.
fn red(path: Path) -> String {
    format!("red auto bandwidth {}kbit limit {}", path.kbit, path.packets(LARGE) * path.mtu)
}
