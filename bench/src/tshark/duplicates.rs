//! The rules by which acknowledgements are duplicates, each by itself: why one program counts what another one does
//! not.

use std::collections::BTreeMap;
use std::fmt;

use captured::Event;

/// A rule of RFC 5681 section 2, or one of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    /// (b): it carries data.
    HasData,
    /// (c): it is a SYN or a FIN, or a reset.
    IsEnd,
    /// (d): it is not the greatest acknowledgement so far.
    IsOld,
    /// It is the first one of its end, or a greater one than before.
    IsNew,
    /// (e): its window is another one than before.
    HasOtherWindow,
    /// (a): nothing is in flight.
    NothingInFlight,
    /// Its window is zero: a duplicate to the RFC, and not to tshark.
    HasZeroWindow,
    /// It does not begin where its end went on: a duplicate to the RFC, and not to tshark.
    IsBehind,
    /// Each rule is met.
    Met,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HasData => "it carries data",
            Self::IsEnd => "SYN, FIN or RST",
            Self::IsOld => "an older acknowledgement than the greatest",
            Self::IsNew => "it acknowledges something new",
            Self::HasOtherWindow => "another window than before",
            Self::NothingInFlight => "nothing is in flight",
            Self::HasZeroWindow => "a window of zero",
            Self::IsBehind => "its sequence number is an older one",
            Self::Met => "each rule is met",
        })
    }
}

/// The state of one end: its data, as far as it was sent and acknowledged.
#[derive(Default)]
struct End {
    /// The greatest acknowledgement, and the window of the latest one.
    ack: Option<u64>,
    window: u64,
    /// The end of what it has sent.
    next: u64,
}

/// The acknowledgements of a capture, with the first rule that keeps each from being a duplicate.
#[derive(Default)]
pub(super) struct Acks {
    ends: BTreeMap<(usize, usize), End>,
    rules: BTreeMap<u64, Rule>,
}

impl Acks {
    /// The rule that keeps a packet from being a duplicate acknowledgement.
    pub(super) fn rule(&self, packet: u64) -> Rule {
        self.rules.get(&packet).copied().unwrap_or(Rule::IsNew)
    }

    pub(super) fn take(&mut self, event: &Event<'_>) {
        let (segment, effect) = (event.segment, &event.effect);
        let [this, other] = [event.sender, 1 - event.sender].map(|end| (event.connection, end));
        if let Some(ack) = effect.ack {
            let rule = self.judge(event, ack.place);
            self.rules.insert(event.packet, rule);
        }
        let end = self.ends.entry(this).or_default();
        if let Some(ack) = effect.ack.filter(|_| !segment.flags.is_rst()) {
            end.ack = end.ack.max(Some(ack.place));
            end.window = effect.window;
        }
        let to = effect.start + u64::from(segment.sequence_len());
        end.next = end.next.max(to);
        self.ends.entry(other).or_default();
    }

    fn judge(&self, event: &Event<'_>, ack: u64) -> Rule {
        let nothing = End::default();
        let of = |end: usize| self.ends.get(&(event.connection, end)).unwrap_or(&nothing);
        let (this, other) = (of(event.sender), of(1 - event.sender));
        let flags = event.segment.flags;
        if event.segment.data_len > 0 {
            Rule::HasData
        } else if flags.is_syn() || flags.is_fin() || flags.is_rst() {
            Rule::IsEnd
        } else if this.ack.is_none_or(|before| before < ack) {
            Rule::IsNew
        } else if this.ack > Some(ack) {
            Rule::IsOld
        } else if this.window != event.effect.window {
            Rule::HasOtherWindow
        } else if other.next <= ack {
            Rule::NothingInFlight
        } else if event.effect.window == 0 {
            Rule::HasZeroWindow
        } else if event.effect.start < this.next {
            Rule::IsBehind
        } else {
            Rule::Met
        }
    }
}
