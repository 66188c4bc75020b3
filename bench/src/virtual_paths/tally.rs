//! Counts of statements that were true, false and withheld, and the calibration of confidences.

use std::fmt;

use indexmap::IndexMap;

use super::judge::Statement;

/// The counts of true, false and withheld statements.
type Counts = [u32; 3];

/// The bounds of the calibration table's rows.
const CONFIDENCES: [f64; 6] = [0.5, 0.7, 0.8, 0.9, 0.95, 1.01];

/// The counts over all paths.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) paths: u32,
    kinds: IndexMap<&'static str, Counts>,
    /// The true statements and all statements of each range of confidence.
    calibration: [[u32; 2]; CONFIDENCES.len() - 1],
}

impl Tally {
    /// Counts the statements on one path.
    pub(super) fn add(&mut self, found: &[Statement]) {
        self.paths += 1;
        for one in found {
            let counts = self.kinds.entry(one.what).or_default();
            let index = one.right.map_or(2, |right| usize::from(!right));
            counts[index] += 1;
            let row = one.confidence.and_then(|confidence| {
                CONFIDENCES.windows(2).position(|range| (range[0]..range[1]).contains(&confidence))
            });
            if let (Some(row), Some(right)) = (row, one.right) {
                self.calibration[row][0] += u32::from(right);
                self.calibration[row][1] += 1;
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<16} {:>6} {:>6} {:>9} {:>8}", "", "true", "false", "withheld", "false")?;
        let row = |f: &mut fmt::Formatter<'_>, name: &str, [right, wrong, withheld]: Counts| {
            let part = percent(wrong, right + wrong);
            writeln!(f, "{name:<16} {right:>6} {wrong:>6} {withheld:>9} {part:>8}")
        };
        let mut all = Counts::default();
        for (name, counts) in &self.kinds {
            row(f, name, *counts)?;
            all.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        row(f, "all", all)?;
        let said: u32 = all.iter().sum();
        writeln!(f, "withheld: {}", percent(all[2], said))?;
        writeln!(f, "\n{:<16} {:>6} {:>6} {:>8}", "confidence", "true", "of", "")?;
        for (range, [right, of]) in CONFIDENCES.windows(2).zip(&self.calibration) {
            let name = format!("{:.2} to {:.2}", range[0], range[1].min(1.0));
            writeln!(f, "{name:<16} {right:>6} {of:>6} {:>8}", percent(*right, *of))?;
        }
        Ok(())
    }
}

fn percent(part: u32, of: u32) -> String {
    if of == 0 {
        String::new()
    } else {
        format!("{:.1} %", 100.0 * f64::from(part) / f64::from(of))
    }
}
