//! A packet that cannot exist, for queues that only show their settings.

use units::Bytes;

use crate::{Ecn, Flow, Headers, Packet};

/// A packet that cannot exist.
#[derive(Debug)]
pub(crate) enum NoPacket {}

impl Packet for NoPacket {
    type Store = ();

    fn len(&self) -> Bytes {
        match *self {}
    }

    fn ecn(&self) -> Ecn {
        match *self {}
    }

    fn set_ce(&mut self) {
        match *self {}
    }
}

impl Flow for NoPacket {
    fn flow_hash(&self, _salt: u64) -> u32 {
        match *self {}
    }
}

impl Headers for NoPacket {}
