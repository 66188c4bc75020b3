//! Blocks of probes as bytes: two to five bytes a probe.
//!
//! ```text
//! layout (2)                                  one byte
//! number of probes                            varint
//! time of the first, microseconds since 1970  varint
//! pace: the median pause, microseconds        zigzag varint
//! outcomes: code, how many in a row           byte, varint, until all probes have one
//! pause to the next probe, less the pace      zigzag varint, for each but the last
//! round trip, less the one before             zigzag varint, for each answer, microseconds
//! `up`, less the one before                   zigzag varint, for each answer that has it, microseconds
//! ```
//!
//! Neighbours differ by little, and a column of similar numbers has short ones. Codes are 0 for an answer,
//! 1 for one that has `up`, 2 for lost, and 3 to 6 for the failures in the order of
//! [`ProbeFailure::ALL`]; 8 more for an extra probe. Layout 1 is the same without extra probes: releases that
//! wrote it did not tell them apart. What is finer than a microsecond is cut off.

use observation::{ProbeFailure, ProbeOutcome, WatchedProbe};
use units::{Span, Time};

use crate::error::Damage;
use crate::micros::{micros, span, time};
use crate::varint::{Bytes, put, put_signed};

const LAYOUT: u8 = 2;
const WITHOUT_EXTRA: u8 = 1;
const ANSWERED: u8 = 0;
const WITH_UP: u8 = 1;
const LOST: u8 = 2;
const FAILED: u8 = 3;
const EXTRA: u8 = 8;

/// The probes as bytes. The part of a round trip for which the target kept the probe is not kept apart.
pub fn encode(probes: &[WatchedProbe]) -> Vec<u8> {
    let mut bytes = vec![LAYOUT];
    put(&mut bytes, probes.len() as u64);
    let Some(first) = probes.first() else { return bytes };
    put(&mut bytes, micros(first.sent) as u64);
    let pauses: Vec<_> =
        probes.windows(2).map(|pair| micros(pair[1].sent) - micros(pair[0].sent)).collect();
    let pace = middle(&pauses);
    put_signed(&mut bytes, pace);
    for same in probes.chunk_by(|one, other| code(one) == code(other)) {
        bytes.push(code(&same[0]));
        put(&mut bytes, same.len() as u64);
    }
    pauses.iter().for_each(|pause| put_signed(&mut bytes, pause - pace));
    let round_trips = probes.iter().filter_map(|it| it.outcome.round_trip());
    put_changes(&mut bytes, round_trips.map(|it| (it.as_nanos() / 1000) as i64));
    let ups = probes.iter().filter_map(|it| match it.outcome {
        ProbeOutcome::Answered { up, .. } => up,
        ProbeOutcome::Lost | ProbeOutcome::Failed(_) => None,
    });
    put_changes(&mut bytes, ups.map(|it| it.div_euclid(1000)));
    bytes
}

/// The probes that the bytes stand for.
///
/// # Errors
/// If the bytes are not those of a block.
pub fn decode(bytes: &[u8]) -> Result<Vec<WatchedProbe>, Damage> {
    let mut bytes = Bytes(bytes);
    match bytes.byte()? {
        LAYOUT | WITHOUT_EXTRA => {}
        other => return Err(Damage::Layout(other)),
    }
    let count = bytes.count()?;
    if count == 0 {
        bytes.end()?;
        return Ok(Vec::new());
    }
    let first = i64::try_from(bytes.number()?).map_err(|_| Damage::Range)?;
    let pace = bytes.signed()?;
    let codes = codes(&mut bytes, count)?;
    let times = times(&mut bytes, first, pace, count)?;
    let mut round_trips = vec![Span::ZERO; count];
    let mut change = Changes::default();
    for (round_trip, _) in
        round_trips.iter_mut().zip(&codes).filter(|(_, code)| outcome(**code) <= WITH_UP)
    {
        *round_trip = span(change.next(&mut bytes)?)?;
    }
    let mut change = Changes::default();
    let probe = |((sent, code), round_trip): ((Time, u8), Span)| {
        let (is_extra, code) = (code & EXTRA != 0, outcome(code));
        let up = if code == WITH_UP { Some(nanos(change.next(&mut bytes)?)?) } else { None };
        let outcome = match code {
            ANSWERED | WITH_UP => ProbeOutcome::Answered { round_trip, up, kept: None },
            LOST => ProbeOutcome::Lost,
            _ => ProbeOutcome::Failed(failure(code)?),
        };
        Ok(WatchedProbe { sent, is_extra, outcome })
    };
    let probes = times.into_iter().zip(codes).zip(round_trips).map(probe);
    let probes = probes.collect::<Result<_, Damage>>()?;
    bytes.end()?;
    Ok(probes)
}

/// Appends each number less the one before.
fn put_changes(bytes: &mut Vec<u8>, numbers: impl Iterator<Item = i64>) {
    let mut before = 0_i64;
    for number in numbers {
        put_signed(bytes, number.wrapping_sub(before));
        before = number;
    }
}

/// The numbers that [`put_changes`] has written.
#[derive(Default)]
struct Changes {
    before: i64,
}

impl Changes {
    fn next(&mut self, bytes: &mut Bytes<'_>) -> Result<i64, Damage> {
        self.before = self.before.wrapping_add(bytes.signed()?);
        Ok(self.before)
    }
}

fn codes(bytes: &mut Bytes<'_>, count: usize) -> Result<Vec<u8>, Damage> {
    let mut codes = Vec::with_capacity(count);
    while codes.len() < count {
        let code = bytes.byte()?;
        if outcome(code) >= FAILED {
            failure(outcome(code))?;
        }
        let same = usize::try_from(bytes.number()?).map_err(|_| Damage::Range)?;
        if same == 0 || same > count - codes.len() {
            return Err(Damage::Range);
        }
        codes.resize(codes.len() + same, code);
    }
    Ok(codes)
}

fn times(bytes: &mut Bytes<'_>, first: i64, pace: i64, count: usize) -> Result<Vec<Time>, Damage> {
    let mut at = first;
    let mut times = vec![time(at)?];
    for _ in 1..count {
        at = at.wrapping_add(pace).wrapping_add(bytes.signed()?);
        times.push(time(at)?);
    }
    Ok(times)
}

const fn code(probe: &WatchedProbe) -> u8 {
    let extra = if probe.is_extra { EXTRA } else { 0 };
    extra
        + match probe.outcome {
            ProbeOutcome::Answered { up: None, .. } => ANSWERED,
            ProbeOutcome::Answered { up: Some(_), .. } => WITH_UP,
            ProbeOutcome::Lost => LOST,
            ProbeOutcome::Failed(ProbeFailure::NoRoute) => FAILED,
            ProbeOutcome::Failed(ProbeFailure::Unreachable) => FAILED + 1,
            ProbeOutcome::Failed(ProbeFailure::Name) => FAILED + 2,
            ProbeOutcome::Failed(ProbeFailure::Answer) => FAILED + 3,
        }
}

/// The code without the mark of an extra probe.
const fn outcome(code: u8) -> u8 {
    code & !EXTRA
}

fn failure(code: u8) -> Result<ProbeFailure, Damage> {
    let failure = ProbeFailure::ALL.get(usize::from(code - FAILED));
    failure.copied().ok_or(Damage::Outcome(code))
}

fn nanos(micros: i64) -> Result<i64, Damage> {
    // The least number of nanoseconds lies within the microsecond below it.
    if micros == i64::MIN.div_euclid(1000) {
        return Ok(i64::MIN);
    }
    micros.checked_mul(1000).ok_or(Damage::Range)
}

/// The median; 0 if there is none.
pub(crate) fn middle(numbers: &[i64]) -> i64 {
    let mut sorted = numbers.to_vec();
    let at = sorted.len() / 2;
    if sorted.is_empty() { 0 } else { *sorted.select_nth_unstable(at).1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn outcomes() -> impl Strategy<Value = ProbeOutcome> {
        let round_trip = prop_oneof![any::<u64>(), 0..100_000_000_u64];
        let up = prop_oneof![any::<i64>(), -5_000_000..5_000_000_i64];
        prop_oneof![
            6 => (round_trip, proptest::option::of(up)).prop_map(|(nanos, up)| {
                ProbeOutcome::Answered { round_trip: Span::from_nanos(nanos), up, kept: None }
            }),
            1 => Just(ProbeOutcome::Lost),
            1 => (0..4_usize).prop_map(|it| ProbeOutcome::Failed(ProbeFailure::ALL[it])),
        ]
    }

    fn probes() -> impl Strategy<Value = Vec<WatchedProbe>> {
        let sent =
            prop_oneof![any::<u64>(), 1_700_000_000_000_000_000..1_700_000_600_000_000_000_u64];
        let probe = (sent, any::<bool>(), outcomes()).prop_map(|(sent, is_extra, outcome)| {
            WatchedProbe { sent: Time::from_nanos(sent), is_extra, outcome }
        });
        proptest::collection::vec(probe, 0..50)
    }

    /// The probe with whole microseconds.
    fn cut(probe: WatchedProbe) -> WatchedProbe {
        let sent = Time::from_nanos(probe.sent.as_nanos() / 1000 * 1000);
        let outcome = match probe.outcome {
            ProbeOutcome::Answered { round_trip, up, .. } => ProbeOutcome::Answered {
                round_trip: Span::from_micros(round_trip.as_nanos() / 1000),
                up: up.map(|up| up.div_euclid(1000).saturating_mul(1000)),
                kept: None,
            },
            other => other,
        };
        WatchedProbe { sent, outcome, ..probe }
    }

    #[test]
    fn regular_probes_take_few_bytes() {
        let probe = |index: u64| WatchedProbe {
            sent: Time::from_nanos(
                1_700_000_000_000_000_000 + index * 1_000_000_000 + index * 7919 % 30_000,
            ),
            is_extra: false,
            outcome: ProbeOutcome::Answered {
                round_trip: Span::from_micros(20_000 + index * 7919 % 900),
                up: None,
                kept: None,
            },
        };
        let probes: Vec<_> = (0..600).map(probe).collect();
        let bytes = encode(&probes);
        assert!(bytes.len() < 600 * 3 + 40, "{}", bytes.len());
    }

    #[test]
    fn a_block_without_probes_is_empty() {
        assert_eq!(decode(&encode(&[])), Ok(Vec::new()));
    }

    #[test]
    fn a_block_of_an_earlier_release_is_read() {
        let bytes = [1, 2, 200, 1, 20, 0, 1, 2, 1, 0, 40];
        let round_trip = Span::from_micros(20);
        let probe = |micros: u64, outcome| WatchedProbe {
            sent: Time::from_nanos(micros * 1000),
            is_extra: false,
            outcome,
        };
        let first = probe(200, ProbeOutcome::Answered { round_trip, up: None, kept: None });
        assert_eq!(decode(&bytes), Ok(vec![first, probe(210, ProbeOutcome::Lost)]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (bytes, damage) in [
            (&[][..], Damage::Short),
            (&[9], Damage::Layout(9)),
            (&[1, 0, 0], Damage::Long),
            (&[1, 200, 1], Damage::Short),
            (&[2, 1, 0, 0, 7, 1], Damage::Outcome(7)),
            (&[2, 1, 0, 0, 16, 1], Damage::Outcome(16)),
            (&[1, 1, 0, 0, 2, 2], Damage::Range),
            (&[1, 1, 0, 0, 0, 1, 1], Damage::Range),
        ] {
            assert_eq!(decode(bytes), Err(damage), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn probes_are_read_as_written(probes in probes()) {
            let expected: Vec<_> = probes.iter().copied().map(cut).collect();
            prop_assert_eq!(decode(&encode(&probes)), Ok(expected));
        }

        #[test]
        fn any_bytes_are_read_or_refused(mut bytes: Vec<u8>) {
            if let Some(first) = bytes.first_mut() {
                *first = LAYOUT;
            }
            if let Ok(probes) = decode(&bytes) {
                prop_assert_eq!(decode(&encode(&probes)), Ok(probes));
            }
        }
    }
}
