//! The constants of our rules, each with its reason.

use units::{Bytes, Span};

/// The time from tick to tick: a fraction of the round trips of most paths, so that the rules add
/// little to the time after which a change can be seen at all.
pub(super) const TICK: Span = Span::from_millis(50);

/// The reflectors that are asked in turn: enough that some still tell the truth while others are
/// silent or have a queue of their own.
pub(super) const REFLECTORS: usize = 6;

/// The time from one request to the next under load, as cake-autorate has it. A reflector gets one
/// in 0.3 s.
pub(super) const PROBE_LOADED: Span = Span::from_millis(50);

/// The time from one request to the next on an idle line, where nothing is to be decided: a
/// reflector gets one in 6 s, which keeps its floor known.
pub(super) const PROBE_IDLE: Span = Span::from_secs(1);

/// The time after which a line without load is idle.
pub(super) const IDLE_AFTER: Span = Span::from_secs(5);

/// The load from which on a direction is watched closely: in parts of its rate, or of its least rate if that
/// is less. When the line has fallen to a tenth of the rate, all that it carries is no more than the first.
pub(super) const LOADED: f64 = 0.1;
pub(super) const LOADED_OF_LEAST: f64 = 0.8;

/// The part of a direction's traffic that comes back as acknowledgements: 52 bytes for each packet of
/// 1500, or for each second one.
pub(super) const ACKS: f64 = 0.04;

/// The time for which one direction may grow before it is the other's turn: the growth, a round trip
/// and three answers.
pub(super) const TURN: Span = Span::from_millis(1500);

/// The longest queue that growth makes before it is lowered, in milliseconds: a rate that is 5 % too
/// high adds 2.5 ms from tick to tick, one that is twice the line's 50 ms.
pub(super) const GROWN_MS: f64 = 40.0;

/// The load, in parts of the rate, at which a direction uses its rate.
pub(super) const FULL: f64 = 0.75;

/// The time after which a direction to which the queue is attributed must have made it shorter, and the part
/// of the queue that may be left.
pub(super) const ATTRIBUTION_LASTS: Span = Span::from_millis(700);
pub(super) const SHRUNK: f64 = 0.8;

/// The age up to which an answer counts: a little more than a round of all reflectors.
pub(super) const FRESH: Span = Span::from_millis(400);

/// The number of latest answers of which the smallest counts: two of three may be late for reasons
/// of their own. A queue of ours delays all of them.
pub(super) const QUORUM: usize = 3;

/// The floor of a reflector is the least delay in this many periods of this length. Our rules empty
/// the queue every few seconds, so that half a minute has seen the path without it.
pub(super) const FLOOR_PERIODS: usize = 6;
pub(super) const FLOOR_PERIOD: Span = Span::from_secs(5);

/// An excess that shows a queue, in milliseconds: well below the 30 ms from which on a call
/// suffers, well above the noise that is left of three answers.
pub(super) const LONG_MS: f64 = 16.0;

/// An excess at which the queue is gone.
pub(super) const SHORT_MS: f64 = 8.0;

/// The bytes in a shaper from which on it holds traffic back: two packets.
pub(super) const HELD: Bytes = Bytes(2 * 1514);

/// The ticks that tell whether a shaper is the narrowest place, and how many of them must have
/// held traffic back.
pub(super) const LIMITING_TICKS: usize = 5;
pub(super) const LIMITING_LEAST: usize = 3;

/// The ticks over which the line's own rate is measured while its queue is not empty. Delays are
/// seen a round trip later than the queue begins, so that all of these saw it.
pub(super) const CAPACITY_TICKS: usize = 5;

/// The rate after the queue is gone, in parts of what the line carried: below, the shaper has the
/// queue; the rest is the price of it.
pub(super) const KEPT: f64 = 0.97;

/// The rate of a direction that has grown too far, in parts of what it was: what growth adds before its
/// queue is seen.
pub(super) const KEPT_OF_GROWN: f64 = 0.9;

/// The time in which a queue is to be emptied. A shorter one costs more goodput than the delay is
/// worth, since a sender needs a few round trips to follow.
pub(super) const DRAIN_MS: f64 = 500.0;

/// The least and the greatest part of the line's rate that is left while its queue empties.
pub(super) const DRAIN: (f64, f64) = (0.5, 0.9);

/// The time after which a queue that is no longer long need not be gone: the other direction may keep
/// it there.
pub(super) const DRAIN_LASTS: Span = Span::from_secs(1);

/// The factor of the estimate if the queue has not shrunk since the last cut, and the time that it
/// is given to shrink.
pub(super) const CUT_AGAIN: f64 = 0.85;
pub(super) const CUT_PAUSE: Span = Span::from_millis(400);

/// The part of the known rate of the line below which it is not taken to have fallen at once: a line
/// that carries nothing for a moment is back soon, and a rate that was lost is found again slowly.
pub(super) const FALLS_TO: f64 = 0.5;

/// The growth of the rate in parts of it a second: slow after a queue was seen, since the line's
/// rate is known, and faster the longer none was seen, since the line may have become faster.
pub(super) const GROWTH_LEAST: f64 = 0.04;
pub(super) const GROWTH_MORE: f64 = 0.2;
pub(super) const GROWTH_WAITS_S: f64 = 1.0;

/// The most growth, also below the line's known rate. A higher one makes queues that are longer than
/// those that are attributed to growth.
pub(super) const GROWTH_MOST: f64 = 1.5;

/// The time after which an excess is the path's that stays while both shapers hold their traffic back:
/// a queue would be gone, or would grow.
pub(super) const UNMOVED: Span = Span::from_millis(2500);

/// The time without an answer after which the rules are blind. Under load a reflector is asked each
/// 50 ms, so that twenty requests are lost by then.
pub(super) const BLIND_AFTER: Span = Span::from_secs(1);

/// The time without an answer on an idle line, where requests are rare.
pub(super) const BLIND_AFTER_IDLE: Span = Span::from_secs(4);

/// The rate from which on traffic shows that the line lives, in bits per second.
pub(super) const ALIVE_BITS: f64 = 20_000.0;

/// The seconds of which rates that the line carried are remembered, and the part of them, from
/// below, of which the greatest is safe: most of the time the line carries it.
pub(super) const REMEMBERED_S: usize = 60;
pub(super) const SAFE_QUANTILE: f64 = 0.25;

/// A reflector is replaced if, of its latest answers (a mean with this weight of the latest), more than
/// this part are later than those of the others by this many milliseconds; or if it fails to answer
/// this many times in a row while others do.
pub(super) const ASTRAY_MS: f64 = 10.0;
pub(super) const ASTRAY_PART: f64 = 0.5;
pub(super) const ASTRAY_WEIGHT: f64 = 0.05;
pub(super) const SILENT_TIMES: u32 = 5;
