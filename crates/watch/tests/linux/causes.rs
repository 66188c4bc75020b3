//! Whose a spike was, on real kernels: six lines at once, each with another trouble.

use std::net::IpAddr;
use std::thread;

use results::{SpikeCause, WatchGap};
use units::Rate;
use watch::News;

use super::line::{
    CLIENT, LAST_ROUTER, ROUTER, SERVER, at, copied, flooded, line, narrow, pause, watched,
};
use crate::chain::{Chain, address};

/// The calm before, the trouble, and the calm after, in milliseconds.
const BEFORE: u64 = 5_000;
const TROUBLE: u64 = 4_000;
const AFTER: u64 = 8_000;

/// A trouble: what is done to the line first, and what happens then for a time.
struct Trouble {
    cause: SpikeCause,
    prepare: fn(&Chain),
    happen: fn(&Chain),
}

const TROUBLES: [Trouble; 6] = [
    // The client's own upload fills the line.
    Trouble {
        cause: SpikeCause::OwnUpload,
        prepare: |chain| narrow(chain, ROUTER, "right"),
        happen: |chain| flood(chain, CLIENT, at(SERVER)),
    },
    // Somebody else at the router does.
    Trouble {
        cause: SpikeCause::Line,
        prepare: |chain| narrow(chain, ROUTER, "right"),
        happen: |chain| flood(chain, ROUTER, at(SERVER)),
    },
    // The client's own download fills the line.
    Trouble {
        cause: SpikeCause::OwnDownload,
        prepare: |chain| narrow(chain, ROUTER, "left"),
        happen: |chain| flood(chain, ROUTER, address(false, 0, 1)),
    },
    // The way to one of the two targets is full.
    Trouble {
        cause: SpikeCause::Target,
        prepare: |chain| narrow(chain, LAST_ROUTER, "right"),
        happen: |chain| flood(chain, LAST_ROUTER, at(SERVER)),
    },
    // The client's own upload fills the line, after a copy to a host on its link, which is faster.
    Trouble {
        cause: SpikeCause::OwnUpload,
        prepare: |chain| narrow(chain, ROUTER, "right"),
        happen: |chain| {
            copied(chain, || pause(3_000));
            flood(chain, CLIENT, at(SERVER));
        },
    },
    // Somebody else at the router fills the line, during such a copy.
    Trouble {
        cause: SpikeCause::Line,
        prepare: |chain| narrow(chain, ROUTER, "right"),
        happen: |chain| copied(chain, || flood(chain, ROUTER, at(SERVER))),
    },
];

/// More than the line carries, and less than fills its buffer in the time of the trouble.
const RATE: u64 = 1_300_000;

fn flood(chain: &Chain, node: usize, to: IpAddr) {
    let rate = Rate::from_bits_per_sec(RATE).unwrap();
    flooded(chain, node, to, rate, || pause(TROUBLE));
}

pub(crate) fn the_cause_of_a_spike_is_found() {
    let judged: Vec<_> = thread::scope(|scope| {
        let begun = TROUBLES.map(|trouble| {
            let chain = line();
            (trouble.prepare)(&chain);
            scope.spawn(move || (trouble.cause, causes(&chain, trouble.happen)))
        });
        begun.map(|it| it.join().unwrap()).into()
    });
    for (cause, found) in judged {
        assert_eq!(found, [cause]);
    }
}

/// The causes of the spikes that were told.
fn causes(chain: &Chain, happen: fn(&Chain)) -> Vec<SpikeCause> {
    let targets = [at(SERVER), at(LAST_ROUTER)].map(|it| it.to_string());
    let (_, news) = watched(chain, &targets, |chain| {
        pause(BEFORE);
        happen(chain);
        pause(AFTER);
    });
    let is_starved = |it: &News| matches!(it, News::Gap { reason: WatchGap::Starved, .. });
    assert!(!news.iter().any(is_starved), "this machine was too busy: {news:?}");
    let spikes = news.into_iter().filter_map(|it| match it {
        News::Spike { spike, .. } => Some(spike),
        _ => None,
    });
    let spikes: Vec<_> = spikes.collect();
    println!("{spikes:#?}");
    spikes.into_iter().map(|it| it.cause).collect()
}
