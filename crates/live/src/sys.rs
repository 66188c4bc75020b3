//! Calls to the kernel that no library makes safe. `unsafe` stands here alone.
#![expect(unsafe_code, reason = "each block says why it is sound")]

mod ethtool;
mod message;
mod options;
mod process;
mod tun;

pub(crate) use ethtool::switch_off;
pub(crate) use message::receive_stamped;
pub(crate) use options::{bind_to_device, option, set_option};
pub(crate) use process::{Child, be_real_time, fork, take_short_turns, threads, unshare};
pub(crate) use tun::{attach_tun, set_header_len, set_offload};
