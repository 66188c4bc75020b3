//! The interface on systems other than Linux, which are not supported yet.

use std::io;
use std::net::IpAddr;

use observation::{Interface, Wireless};

use super::{Passed, Waiting};

/// A type without values: it cannot be opened.
#[derive(Debug)]
pub(super) enum Kernel {}

impl Kernel {
    pub(super) fn open() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn interface_towards(&self, _address: IpAddr) -> io::Result<u32> {
        match *self {}
    }

    pub(super) fn interface(&self, _index: u32) -> io::Result<Interface> {
        match *self {}
    }

    pub(super) fn waiting(&self, _index: u32) -> io::Result<Waiting> {
        match *self {}
    }

    pub(super) fn passed(&self, _index: u32) -> io::Result<Passed> {
        match *self {}
    }

    pub(super) fn wireless(&self, _index: u32) -> Option<Wireless> {
        match *self {}
    }
}
