//! `unbloat shape` on a real interface: a router of three kernels in a row, whose interface to the
//! server is shaped.
//!
//! Only root may load the programs, so nothing is tested for others, and the reason is printed.
#![cfg(target_os = "linux")]

#[expect(dead_code, reason = "what else makes a path is tested by `measure`")]
#[path = "../../measure/tests/linux/chain.rs"]
mod chain;
#[path = "shape/crafted.rs"]
mod crafted;
#[path = "shape/ends.rs"]
mod ends;
#[path = "shape/follow.rs"]
mod follow;
#[path = "shape/life.rs"]
mod life;
#[path = "shape/own_aqm.rs"]
mod own_aqm;
#[path = "shape/packets.rs"]
mod packets;
#[path = "shape/refusals.rs"]
mod refusals;
#[path = "shape/shaper.rs"]
mod shaper;
#[path = "shape/soak.rs"]
mod soak;
#[path = "shape/traffic.rs"]
mod traffic;
