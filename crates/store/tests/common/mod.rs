//! What several tests of the store share.
#![allow(dead_code, reason = "each test uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

use observation::{ProbeFailure, ProbeOutcome, WatchedProbe, WatchedSecond};
use units::{Bytes, Span, Time};

/// The beginning of an hour in 2026, in seconds.
pub(crate) const START: u64 = 1_790_000_000 / 3600 * 3600;

/// A folder that is not there yet.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    folder
}

/// So many seconds after the beginning.
pub(crate) fn at(second: u64) -> Time {
    Time::from_secs(START + second)
}

/// A probe that was answered after so many microseconds.
pub(crate) fn answered(sent: Time, micros: u64) -> WatchedProbe {
    let round_trip = Span::from_micros(micros);
    WatchedProbe {
        sent,
        is_extra: false,
        outcome: ProbeOutcome::Answered { round_trip, up: None, kept: None },
    }
}

/// The probe of a second: most are answered, some lost, some refused.
pub(crate) fn probe(second: u64) -> WatchedProbe {
    let sent = at(second) + Span::from_micros(second * 7919 % 900);
    let outcome = match second % 100 {
        13 => ProbeOutcome::Lost,
        14 => ProbeOutcome::Failed(ProbeFailure::ALL[second as usize / 100 % 4]),
        15 => ProbeOutcome::Answered { round_trip: Span::from_millis(2500), up: None, kept: None },
        _ => ProbeOutcome::Answered {
            round_trip: Span::from_micros(20_000 + second * 31 % 5000),
            up: second.is_multiple_of(3).then_some(-7_000_000 + 1000 * second as i64),
            kept: None,
        },
    };
    WatchedProbe { sent, is_extra: false, outcome }
}

/// A second of our own end.
pub(crate) fn second(index: u64) -> WatchedSecond {
    WatchedSecond {
        at: at(index + 1),
        up: Some(Bytes(1000 * index)),
        down: index.is_multiple_of(2).then_some(Bytes(index)),
        lateness: Span::from_micros(index % 300),
        busy: Some(index as u8 % 100),
        signal: None,
        retries: None,
    }
}
