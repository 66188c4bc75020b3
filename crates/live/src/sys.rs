//! Calls to the kernel for which no library has a safe function. Only this module has `unsafe`
//! code.
#![expect(unsafe_code, reason = "each block says why it is sound")]

mod ethtool;
mod tun;

pub(crate) use ethtool::switch_off;
pub(crate) use tun::{attach_tun, set_header_len, set_offload};
