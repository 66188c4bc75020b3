//! Calls to the kernel for which no library has a safe function. Only this module has `unsafe`
//! code.
#![expect(unsafe_code, reason = "each block says why it is sound")]

mod process;

pub(crate) use process::{Child, be_real_time, fork, take_short_turns, threads, unshare};
