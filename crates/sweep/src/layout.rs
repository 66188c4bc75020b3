//! The division of runs among parts.

use std::ops::Range;

use crate::format::Format;

/// The division of a sweep's runs among shards, and of a shard's runs among parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The number of runs.
    pub(crate) points: u64,
    /// The number of shards. Runs are dealt to them in turn, like cards.
    pub(crate) shards: u32,
    /// The format of the files.
    pub(crate) format: Format,
}

/// A file with the rows of some runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    /// The number of the shard, from 1.
    pub(crate) shard: u32,
    /// The number of the part in its shard, from 0.
    pub(crate) number: u64,
}

impl Layout {
    /// The number of runs in a full part.
    fn part_len(self) -> u64 {
        // Parts of this size are not too many files, and are whole often enough.
        (self.points / 1024).clamp(64, 4096)
    }

    /// The number of runs of this shard.
    pub(crate) fn runs_of(self, shard: u32) -> u64 {
        let first = u64::from(shard) - 1;
        self.points.saturating_sub(first).div_ceil(u64::from(self.shards))
    }

    /// The parts of a shard, in an order in which the first ones are spread over the whole sweep,
    /// so that duration and results can be judged early.
    pub(crate) fn parts(self, shard: u32) -> impl Iterator<Item = Part> {
        let parts = self.runs_of(shard).div_ceil(self.part_len());
        let stride = coprime_stride(parts);
        (0..parts).map(move |at| {
            // The product of two numbers of 32 bits does not overflow.
            Part { shard, number: at * stride % parts }
        })
    }

    /// The number of runs of a part.
    pub(crate) fn len_of(self, part: Part) -> u64 {
        let places = self.places(part);
        places.end - places.start
    }

    /// The runs of a part, ascending.
    pub(crate) fn runs(self, part: Part) -> impl Iterator<Item = u64> {
        let shards = u64::from(self.shards);
        self.places(part).map(move |at| at * shards + u64::from(part.shard) - 1)
    }

    /// The places of a part's runs among those of its shard.
    fn places(self, part: Part) -> Range<u64> {
        let first = part.number * self.part_len();
        first..(first + self.part_len()).min(self.runs_of(part.shard))
    }

    /// The part of a run.
    pub(crate) fn part_of(self, run: u64) -> Part {
        let shards = u64::from(self.shards);
        let shard = (run % shards) as u32 + 1;
        Part { shard, number: run / shards / self.part_len() }
    }

    /// The name of a part.
    pub(crate) fn name(self, part: Part) -> String {
        let ending = self.format.ending();
        format!("runs{}-{:05}.{ending}", self.suffix(part.shard), part.number)
    }

    /// The name of the journal of a shard.
    pub(crate) fn journal(self, shard: u32) -> String {
        format!("journal{}.jsonl", self.suffix(shard))
    }

    /// The name of the file whose lock a process holds while it works on a shard.
    pub(crate) fn lock(self, shard: u32) -> String {
        format!(".lock{}", self.suffix(shard))
    }

    fn suffix(self, shard: u32) -> String {
        if self.shards == 1 { String::new() } else { format!("-{shard}of{}", self.shards) }
    }
}

/// A number that shares no divisor with `parts`, near the golden section of it.
fn coprime_stride(parts: u64) -> u64 {
    let golden = parts * 618 / 1000;
    (golden.max(1)..).find(|stride| gcd(*stride, parts) == 1).unwrap_or(1)
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_is_in_one_part() {
        for (points, shards) in [(1, 1), (64, 1), (65, 1), (1000, 3), (5, 7), (100_000, 2)] {
            let layout = Layout { points, shards, format: Format::Csv };
            let mut seen = vec![false; points as usize];
            for shard in 1..=shards {
                let mut runs = 0;
                for part in layout.parts(shard) {
                    assert_eq!(layout.runs(part).count() as u64, layout.len_of(part));
                    for run in layout.runs(part) {
                        assert_eq!(layout.part_of(run), part, "run {run} of {points}/{shards}");
                        assert!(!std::mem::replace(&mut seen[run as usize], true));
                        runs += 1;
                    }
                }
                assert_eq!(runs, layout.runs_of(shard));
            }
            assert!(seen.into_iter().all(|seen| seen), "{points}/{shards}");
        }
    }

    #[test]
    fn parts_are_named_after_their_shard() {
        let layout = Layout { points: 1000, shards: 1, format: Format::Parquet };
        let part = Part { shard: 1, number: 3 };
        assert_eq!(layout.name(part), "runs-00003.parquet");
        let layout = Layout { shards: 4, format: Format::Csv, ..layout };
        assert_eq!(layout.name(Part { shard: 2, ..part }), "runs-2of4-00003.csv");
        assert_eq!(layout.journal(2), "journal-2of4.jsonl");
    }

    #[test]
    fn the_first_parts_are_spread() {
        let layout = Layout { points: 6400, shards: 1, format: Format::Csv };
        let first: Vec<u64> = layout.parts(1).take(4).map(|part| part.number).collect();
        assert_eq!(first, [0, 61, 22, 83]);
    }
}
