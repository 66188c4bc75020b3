//! A direction as it was beside the other one, of which more is known from when it was loaded alone.
//!
//! While both are loaded, what acknowledges the data of one direction waits in the queue of the other, so
//! that a slow one starves a fast one: its queue is hardly ever full, packets wait now and then, and
//! what the queue does then looks like anything. So what it is was told before, and only whether it was
//! filled is told now.

use results::{LoadedDirection, QueueKind};

use crate::signs::{FILLS, NO_DELAY};

/// `both` with the queue that was found when the direction was loaded alone, if it was filled now too; else
/// with none, of which nothing was seen.
pub(crate) fn beside(alone: Option<&LoadedDirection>, both: LoadedDirection) -> LoadedDirection {
    let Some(alone) = alone.filter(|alone| is_known(alone)) else { return both };
    let part = both.rate_mbit.zip(alone.rate_mbit);
    let part = part.and_then(|(rate, full)| results::ratio(rate, FILLS * full)).unwrap_or(1.0);
    let waits = both.added_delay_ms.p50.is_some_and(|millis| millis > NO_DELAY * 1e3);
    let is_fast = if alone.saturated { part >= 1.0 } else { both.saturated };
    if waits || is_fast {
        return LoadedDirection {
            queue: alone.queue,
            buffer: alone.buffer,
            saturated: true,
            ..both
        };
    }
    LoadedDirection { queue: None, buffer: None, saturated: false, ..both }
}

fn is_known(alone: &LoadedDirection) -> bool {
    let kind = alone.queue.map_or(QueueKind::Unknown, |queue| queue.kind);
    !matches!(kind, QueueKind::None | QueueKind::Unknown)
}

#[cfg(test)]
mod tests {
    use results::{Buffer, DelaySpread, QueueFinding};

    use super::*;

    fn found(kind: QueueKind, rate: f64, p50: f64) -> LoadedDirection {
        LoadedDirection {
            queue: Some(QueueFinding { kind, confidence: 0.96 }),
            rate_mbit: Some(rate),
            added_delay_ms: DelaySpread { p50: Some(p50), ..DelaySpread::default() },
            saturated: true,
            ..LoadedDirection::default()
        }
    }

    #[test]
    fn who_starves_for_acknowledgements_has_not_filled_the_queue() {
        let buffer = Some(Buffer { bytes: Some(262_144.0), ..Buffer::default() });
        let alone = LoadedDirection { buffer, ..found(QueueKind::ByteFifo, 20.0, 89.0) };
        let kind = |both: &LoadedDirection| (both.queue.map(|queue| queue.kind), both.saturated);
        let starved = beside(Some(&alone), found(QueueKind::Aqm, 3.3, 0.2));
        assert_eq!(kind(&starved), (None, false));
        assert_eq!(starved.buffer, None);
        // Packets wait, or it is about as fast.
        for both in [found(QueueKind::Aqm, 10.0, 20.0), found(QueueKind::Aqm, 19.0, 0.2)] {
            let both = beside(Some(&alone), both);
            assert_eq!(kind(&both), (Some(QueueKind::ByteFifo), true));
            assert_eq!(both.buffer, buffer);
        }
    }

    #[test]
    fn without_more_it_is_what_it_was_found_to_be() {
        let both = found(QueueKind::Aqm, 10.0, 20.0);
        assert_eq!(beside(None, both.clone()), both);
        let nothing = found(QueueKind::None, 20.0, 0.1);
        assert_eq!(beside(Some(&nothing), both.clone()), both);
    }
}
