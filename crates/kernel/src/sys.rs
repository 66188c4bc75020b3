//! Calls to the kernel that no library makes safe. `unsafe` stands here alone.
#![expect(unsafe_code, reason = "each block says why it is sound")]

mod message;
mod options;

pub(crate) use message::receive_stamped;
pub use options::{option, set_option};
