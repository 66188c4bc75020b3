//! The parameters of CoDel.

use units::{Bytes, Span, Time};

/// The four published variants of CoDel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CoDelVariant {
    /// CoDel of RFC 8289.
    #[default]
    Rfc8289,
    /// CoDel of Linux: compares strictly, keeps time in units of 1.024 us and 1/sqrt(count) in 16
    /// bits with one Newton step for each change, so that the second gap is 50 ms and not 70.7 ms.
    Linux,
    /// The appendix of the paper: a fresh episode waits two intervals, re-entry within one
    /// interval resumes at `count - 2`.
    Paper2012,
    /// The first draft: re-entry within eight intervals resumes at `count - 2`.
    Draft01,
}

/// The parameters that all queues of one CoDel share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoDelParameters {
    /// The sojourn that is acceptable for ever; 5 ms (RFC 8289 section 4.3: 5 to 10 % of
    /// `interval`).
    pub target: Span,
    /// About the longest round trip of the flows; 100 ms (RFC 8289 section 4.2).
    pub interval: Span,
    /// The backlog in bytes up to which no packet is dropped: the last packets are sent while no
    /// more than this is left behind them; 1514, a full Ethernet frame (RFC 8289 section 4.4).
    pub mtu: Bytes,
    /// The variant of CoDel; that of RFC 8289.
    pub variant: CoDelVariant,
    /// True to mark ECN-capable packets in place of dropping them; off, as in Linux.
    pub ecn: bool,
    /// The sojourn above which every ECN-capable packet is marked (Linux); `None` for off.
    pub ce_threshold: Option<Span>,
    /// True to add packets dropped at the limit to `count`, as Linux's fq_codel does; off.
    pub count_overflow: bool,
}

impl Default for CoDelParameters {
    fn default() -> Self {
        Self {
            target: Span::from_millis(5),
            interval: Span::from_millis(100),
            mtu: Bytes(1514),
            variant: CoDelVariant::Rfc8289,
            ecn: false,
            ce_threshold: None,
            count_overflow: false,
        }
    }
}

impl CoDelVariant {
    /// The time as this variant's clock shows it.
    pub(super) const fn clock(self, time: Time) -> Time {
        match self {
            // codel.h: nanoseconds shifted right by 10.
            Self::Linux => Time::from_nanos(time.as_nanos() >> 10 << 10),
            _ => time,
        }
    }
}
