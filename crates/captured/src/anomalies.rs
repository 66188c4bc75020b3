//! Anomalies of a capture.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use results::{CaptureAnomaly, SkippedKind, SkippedRecords};
use units::Span;
use wire::{CaptureError, NonIp, Truncation};

/// The anomalies of a capture.
#[derive(Debug, Default)]
pub struct Anomalies {
    /// The records that were read.
    pub records: u64,
    /// Records that are not IP packets, by kind.
    skipped: BTreeMap<NonIp, u64>,
    /// The number of skipped records of further kinds, once there are too many kinds.
    skipped_others: u64,
    /// Super-packets that were cut into pieces.
    pub super_packets: u64,
    /// The pieces into which super-packets were cut.
    pub pieces: u64,
    /// Records with a time before that of an earlier one.
    pub out_of_order: Backward,
    /// Steps back of the clock.
    pub clock_steps: Backward,
    /// Packets that were seen at another place of the capture before.
    pub copies: u64,
    /// Packets of TCP whose header was not captured up to its window.
    pub cut_headers: u64,
    /// Packets of TCP whose options were not captured whole.
    pub cut_options: u64,
    /// Packets that found no room in the kernel.
    pub missed: u64,
    /// The place at which the file was cut off; `None` if it was not.
    pub truncation: Option<Truncation>,
    /// The reason why what is left was not read: damage, or an error of the disk; `None` if all was read.
    pub damage: Option<CaptureError>,
}

/// How often, and how far at most, times went back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backward {
    /// The number of times.
    pub count: u64,
    /// The largest way back.
    pub largest: Span,
}

impl Backward {
    /// Counts a way back.
    pub fn note(&mut self, back: Span) {
        self.count += 1;
        self.largest = self.largest.max(back);
    }
}

impl Anomalies {
    /// Counts a record that is not an IP packet.
    #[cold]
    pub fn skip(&mut self, non_ip: NonIp) {
        /// The most kinds that are counted separately.
        const MOST_KINDS: usize = 1000;
        if self.skipped.len() < MOST_KINDS || self.skipped.contains_key(&non_ip) {
            *self.skipped.entry(non_ip).or_default() += 1;
        } else {
            self.skipped_others += 1;
        }
    }

    /// The anomalies that there were.
    pub fn found(&self) -> Vec<CaptureAnomaly> {
        let skipped = self.skipped_of(|kind| kind != NonIp::CutOff);
        let skipped = (skipped.count > 0).then_some(CaptureAnomaly::Skipped(skipped));
        let super_packets = (self.super_packets > 0).then_some(CaptureAnomaly::SuperPackets {
            count: self.super_packets,
            pieces: self.pieces,
        });
        let went_back = |of: Backward| (of.count > 0).then(|| (of.count, of.largest.as_secs_f64()));
        let out_of_order = went_back(self.out_of_order)
            .map(|(count, largest_s)| CaptureAnomaly::StepsBack { count, largest_s });
        let clock_steps = went_back(self.clock_steps)
            .map(|(count, largest_s)| CaptureAnomaly::ClockSteps { count, largest_s });
        let copies = self.copies;
        let copies =
            (copies > 0).then_some(CaptureAnomaly::Copies { count: copies, records: self.records });
        let missed = self.missed;
        let missed = (missed > 0).then_some(CaptureAnomaly::Missed { count: missed });
        let cut_ip = self.skipped.get(&NonIp::CutOff);
        let cut_ip = cut_ip.map(|count| CaptureAnomaly::CutIpHeaders { count: *count });
        let count = self.cut_headers;
        let cut_headers = (count > 0).then_some(CaptureAnomaly::CutHeaders { count });
        let count = self.cut_options;
        let cut_options = (count > 0).then_some(CaptureAnomaly::CutOptions { count });
        let cut_off = self
            .truncation
            .map(|Truncation { records, offset }| CaptureAnomaly::CutOff { records, offset });
        let damaged = self
            .damage
            .as_ref()
            .map(|reason| CaptureAnomaly::Damaged { reason: reason.to_string() });
        let found = [
            skipped,
            super_packets,
            out_of_order,
            clock_steps,
            copies,
            missed,
            cut_ip,
            cut_headers,
            cut_options,
            cut_off,
            damaged,
        ];
        found.into_iter().flatten().collect()
    }

    /// The records that were skipped, with their most frequent kinds.
    pub fn skipped(&self) -> SkippedRecords {
        self.skipped_of(|_| true)
    }

    /// The same of some kinds.
    fn skipped_of(&self, is_of: impl Fn(NonIp) -> bool) -> SkippedRecords {
        /// The most kinds that are named.
        const NAMED: usize = 5;
        let mut kinds: Vec<_> = self.skipped.iter().filter(|(kind, _)| is_of(**kind)).collect();
        kinds.sort_by_key(|(_, count)| Reverse(**count));
        let named = kinds.iter().take(NAMED);
        SkippedRecords {
            count: kinds.iter().map(|(_, count)| **count).sum::<u64>() + self.skipped_others,
            records: self.records,
            most_frequent: named
                .map(|(kind, count)| SkippedKind { name: kind.to_string(), count: **count })
                .collect(),
        }
    }
}
