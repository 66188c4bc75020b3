//! The traffic of a direction in the last second.

use std::collections::VecDeque;

use super::constants::{HELD, LIMITING_LEAST, LIMITING_TICKS, TICK};
use crate::{Heading, Passage};

/// The ticks that are remembered.
const TICKS: usize = 20;

/// The traffic of a direction in the latest ticks.
#[derive(Debug)]
pub(super) struct Traffic {
    heading: Heading,
    /// The latest ticks, the newest last.
    ticks: VecDeque<Passage>,
}

impl Traffic {
    pub(super) const fn new(heading: Heading) -> Self {
        Self { heading, ticks: VecDeque::new() }
    }

    pub(super) fn add(&mut self, passage: Passage) {
        self.ticks.push_back(passage);
        if self.ticks.len() > TICKS {
            self.ticks.pop_front();
        }
    }

    /// The rate that crossed the line in the latest ticks, in bits per second: what left the shaper
    /// of the upload, what came to that of the download.
    pub(super) fn carried(&self, ticks: usize) -> f64 {
        let latest = self.ticks.iter().rev().take(ticks);
        let (count, bytes) = latest.fold((0_u32, 0.0), |(count, bytes), passage| {
            let crossed = match self.heading {
                Heading::Up => passage.departed,
                Heading::Down => passage.arrived,
            };
            (count + 1, bytes + crossed.0 as f64)
        });
        bytes * 8.0 / (f64::from(count.max(1)) * TICK.as_secs_f64())
    }

    /// True if the shaper is the narrowest place: it has held traffic back most of the time.
    pub(super) fn is_limiting(&self) -> bool {
        self.ticks.iter().rev().take(LIMITING_TICKS).filter(held).count() >= LIMITING_LEAST
    }

    /// True if it was so before.
    pub(super) fn was_limiting(&self) -> bool {
        let before = self.ticks.len().saturating_sub(LIMITING_TICKS);
        2 * self.ticks.iter().take(before).filter(held).count() > before
    }
}

/// True if the shaper has held traffic back in a tick.
fn held(passage: &&Passage) -> bool {
    passage.backlog >= HELD || passage.drops > 0 || passage.marks > 0
}
