//! Anomalies of a capture.

use std::collections::BTreeMap;

use units::Span;
use wire::{NonIp, Truncation};

/// The anomalies of a capture.
#[derive(Debug, Default)]
pub(crate) struct Anomalies {
    pub(crate) records: u64,
    /// Records that are not IP packets, by kind.
    skipped: BTreeMap<NonIp, u64>,
    /// The number of skipped records of further kinds, once there are too many kinds.
    skipped_others: u64,
    pub(crate) super_packets: u64,
    /// The pieces into which super-packets were cut.
    pub(crate) pieces: u64,
    pub(crate) steps_back: u64,
    pub(crate) largest_step_back: Span,
    pub(crate) truncation: Option<Truncation>,
}

impl Anomalies {
    /// Counts a record that is not an IP packet.
    #[cold]
    pub(crate) fn skip(&mut self, non_ip: NonIp) {
        /// The most kinds that are counted separately.
        const MOST_KINDS: usize = 1000;
        if self.skipped.len() < MOST_KINDS || self.skipped.contains_key(&non_ip) {
            *self.skipped.entry(non_ip).or_default() += 1;
        } else {
            self.skipped_others += 1;
        }
    }

    /// The anomalies as sentences.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let skipped = self.skipped.values().sum::<u64>() + self.skipped_others;
        if skipped > 0 {
            let (records, kinds) = (self.records, self.kinds());
            sentences
                .push(format!("{skipped} of {records} records skipped: no IP packets ({kinds})"));
        }
        if self.super_packets > 0 {
            let (packets, pieces) = (self.super_packets, self.pieces);
            sentences.push(format!("{packets} super-packets cut into {pieces} packets, see --mtu"));
        }
        if self.steps_back > 0 {
            let (steps, most) = (self.steps_back, self.largest_step_back);
            sentences.push(format!(
                "{steps} records bear a time before that of an earlier one, by {most} at most; taken \
                 at the time of the earlier one"
            ));
        }
        sentences.extend(self.truncation.map(|truncation| truncation.to_string()));
        sentences
    }

    /// The reason why there is nothing to replay.
    pub(crate) fn nothing(&self) -> String {
        let cut = self.truncation.map(|truncation| format!("; {truncation}")).unwrap_or_default();
        match self.records {
            0 => format!("holds no packets{cut}"),
            records => format!("holds no IP packet in {records} records ({}){cut}", self.kinds()),
        }
    }

    /// The most frequent kinds of skipped records.
    fn kinds(&self) -> String {
        const SHOWN: usize = 5;
        let mut kinds: Vec<_> = self.skipped.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let shown = kinds.iter().take(SHOWN).map(|(non_ip, count)| format!("{count} {non_ip}"));
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if kinds.len() > SHOWN {
            text += ", and others";
        }
        text
    }
}
