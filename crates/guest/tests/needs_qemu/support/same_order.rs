//! The key with which our queues serve packets in the order of the kernel.
//!
//! The order depends on the key of hashes where two hosts fall into one place of the table of
//! hosts, and where two queues are the longest and one must drop. The kernel draws its key once,
//! when it first needs it (`__flow_hash_secret_init` of net/core/flow_dissector.c). So one key of
//! ours must give the order of all cases of a boot.

use super::{Case, Observed, order, replay_with_key};

/// The places for hosts in the table of a tin (`CAKE_QUEUES`).
pub(crate) const PLACES: u64 = 1024;
/// The most keys that are tried: 16 times as many as two hosts need to meet in the mean.
const MOST_KEYS: u64 = 16 * PLACES;

/// The first key with which the order of departure is the kernel's in all cases.
pub(crate) fn key_of_same_order(cases: &[Case], observed: &[Observed]) -> u64 {
    let mut all: Vec<_> = cases.iter().zip(observed).collect();
    // Those that differ come first, so that the search looks at them alone until it has found one.
    all.sort_by_key(|(case, observed)| first_difference(case, observed, 1).is_none());
    let is_same = |key| all.iter().all(|(case, it)| first_difference(case, it, key).is_none());
    (1..=MOST_KEYS).find(|key| is_same(*key)).unwrap_or_else(|| {
        let (case, observed) = all[0];
        let first = first_difference(case, observed, 1);
        panic!("{}: the order differs with all keys, with the first at {first:?}", case.name)
    })
}

/// The number of departures before the first that is not the kernel's; `None` if all are.
fn first_difference(case: &Case, observed: &Observed, key: u64) -> Option<usize> {
    let ours = order(&replay_with_key(&case.settings, observed, key).departures);
    let kernel = order(&observed.departures);
    let is_other = |place: &usize| kernel.get(*place) != ours.get(*place);
    (0..kernel.len().max(ours.len())).find(is_other)
}
