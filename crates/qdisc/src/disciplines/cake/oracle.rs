//! Slow and literal readings of Linux's CAKE, against which random histories compare every
//! decision.
//!
//! Each is written plainly from what net/sched/sch_cake.c of 6.18 does: arrays are scanned from end
//! to end, lists are vectors, and nothing is counted that can be looked up.

mod ack_filter;
mod hashing;
mod histories;
mod laws;
mod parcel;
mod queue;
mod turns;
