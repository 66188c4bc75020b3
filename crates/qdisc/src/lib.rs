//! Queue disciplines as pure state machines that are told the time.
//!
//! Packets go in, packets come out, and every call passes the current time. The crate has no clock,
//! no thread, no socket and no `unsafe`; it needs an allocator but no operating system. So the same
//! queue runs in a simulator, in a user-space VPN, in front of a QUIC connection, or on a
//! microcontroller.
//!
//! ```
//! use qdisc::{Dequeued, Ecn, Flow, Headers, LinkInfo, Packet, Qdisc, QdiscSpec, Tally};
//! use units::{Bytes, Rate, Rng, Time};
//!
//! struct Datagram { buffer: Vec<u8>, ecn: Ecn, flow: u32 }
//!
//! impl Packet for Datagram {
//!     type Store = ();
//!     fn len(&self) -> Bytes { Bytes(self.buffer.len() as u64) }
//!     fn ecn(&self) -> Ecn { self.ecn }
//!     fn set_ce(&mut self) { self.ecn = Ecn::Ce }
//! }
//!
//! impl Flow for Datagram {
//!     fn flow_hash(&self, salt: u64) -> u32 { (u64::from(self.flow) ^ salt) as u32 }
//! }
//! impl Headers for Datagram {}
//!
//! let link = LinkInfo::new(Rate::from_mbit(10), Bytes(1500));
//! let mut queue = "fq_codel target 10ms".parse::<QdiscSpec>()?.build(link, Rng::new(7));
//! let (mut tally, now) = (Tally::default(), Time::from_millis(1));
//! queue.enqueue(Datagram { buffer: vec![0; 1200], ecn: Ecn::Ect0, flow: 1 }, now, &mut tally);
//! match queue.dequeue(now, &mut tally) {
//!     Dequeued::Packet { packet, .. } => assert_eq!(packet.buffer.len(), 1200), // send it
//!     Dequeued::NotBefore(_time) => {} // set a timer
//!     Dequeued::Empty => {}            // wait for the next packet
//! }
//! # Ok::<(), qdisc::SpecError>(())
//! ```
//!
//! `examples/tunnel` is the send queue of a VPN: real IPv4 packets, sockets, threads and a clock.
//!
//! # The parts
//! - [`Packet`] and [`Flow`] give a queue access to a packet, [`Qdisc`] is the interface of a
//!   queue, and [`Signals`] receives drops and marks.
//! - [`Headers`] gives access to hosts, code point, lengths of IP packets and the TCP header, for a
//!   discipline that asks for them.
//! - [`QdiscSpec`] reads a queue in the words of `tc` and builds it as an [`AnyQdisc`], whose
//!   settings can [change](Qdisc::change) while packets wait.
//! - Where the type is known at compile time, take [`Fifo`] or [`FlowQueue`] with one of the
//!   controllers in [`disciplines`], or with your own [`Aqm`](aqm::Aqm): the controller decides,
//!   and the [`Lane`] carries out its verdicts. [`Sfb`](disciplines::sfb::Sfb) is a whole
//!   discipline, since it must know the flows and hold the packets.
//! - [`Tally`] counts, and [`Statistics`] has what `tc -s` shows.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod any;
pub mod aqm;
mod backlog;
mod boxed;
pub mod disciplines;
mod fifo;
mod flow_queue;
#[cfg(any(test, feature = "history"))]
pub mod history;
mod lane;
mod no_packet;
mod packet;
mod qdisc;
pub mod spec;
mod stats;

pub use backlog::{Backlog, Limit};
pub use disciplines::{AnyQdisc, AnyStats, QdiscSpec};
pub use fifo::{DropFrom, Fifo};
pub use flow_queue::{FlowQueue, FlowQueueParameters, Overflow};
pub use lane::Lane;
pub use packet::{
    Dscp, Ecn, Flow, Headers, Hosts, IpLens, Marking, Packet, SackBlocks, TcpHeader, Timestamps,
};
pub use qdisc::{Cause, ChangeError, Dequeued, Qdisc, Shaping, Signals};
pub use spec::{Discipline, DisciplineKind, LinkInfo, SpecError, Visitor};
pub use stats::{DisciplineStats, DueIn, Statistics, Tally};
