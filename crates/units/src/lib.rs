//! The quantities that every part of unbloat uses.
//!
//! A point in time and a length of time are different types, bytes are never packets and never
//! bits, and a rate is never zero. The operators are those of physics, so that a mix-up of units
//! does not compile:
//!
//! ```
//! use units::{Bytes, Rate, Span, Time};
//!
//! let rate: Rate = "10mbit".parse()?;
//! assert_eq!(Bytes(1500) / rate, Span::from_micros(1200));
//! assert_eq!(rate * Span::from_millis(100), Bytes(125_000)); // bandwidth x delay
//! assert_eq!((Time::ZERO + Span::from_millis(5)).since(Time::ZERO), Span::from_millis(5));
//! # Ok::<(), units::UnitError>(())
//! ```
//!
//! All arithmetic is on integers and saturates, so it gives the same answer on every machine.
#![no_std]

extern crate alloc;

mod bytes;
mod excerpt;
mod nearest;
mod prob;
mod quantity;
mod rate;
mod rng;
mod serializer;
mod time;
mod way;

pub use bytes::Bytes;
pub use excerpt::Excerpt;
pub use nearest::nearest;
pub use prob::Prob;
pub use quantity::UnitError;
pub use rate::Rate;
pub use rng::{Rng, mix};
pub use serializer::Serializer;
pub use time::{Span, Time};
pub use way::{DirectionId, PerWay, Way};
