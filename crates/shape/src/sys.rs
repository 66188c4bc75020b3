//! Calls to the kernel for which no library has a safe function. Only this module has `unsafe`
//! code.
#![expect(unsafe_code, reason = "each block says why it is sound")]

mod bpf;
mod child;
mod life;
mod map;

pub(crate) use bpf::{attach, attached, load, make_program_array, set_program};
pub(crate) use child::Child;
pub(crate) use life::Life;
pub(crate) use map::SharedMap;
