//! `pfifo` and `bfifo`.

use alloc::string::String;
use core::fmt;

use units::Bytes;

use super::SpecError;
use super::draft::Draft;
use super::size::TcSize;
use super::words::{Word, Words};
use crate::aqm::TailDrop;
use crate::{DropFrom, Fifo, Limit, Packet};

/// `pfifo [limit PACKETS] [headdrop]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PfifoSpec {
    /// The limit in packets; 1000, the usual txqueuelen.
    pub limit: u64,
    /// True to drop from the head (tc: `pfifo_head_drop`); off.
    pub head_drop: bool,
}

impl Default for PfifoSpec {
    fn default() -> Self {
        Self { limit: 1000, head_drop: false }
    }
}

impl PfifoSpec {
    pub(super) fn build<P: Packet>(&self) -> Fifo<P, TailDrop> {
        let drop_from = if self.head_drop { DropFrom::Head } else { DropFrom::Tail };
        Fifo::new(Limit::packets(self.limit), TailDrop).drop_from(drop_from)
    }
}

impl Draft for PfifoSpec {
    type Spec = Self;
    const OPTIONS: &'static str = "limit, headdrop";

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        match option.text {
            "limit" => self.limit = words.packets(option)?,
            "headdrop" => self.head_drop = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl fmt::Display for PfifoSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pfifo limit {}p", self.limit)?;
        f.write_str(if self.head_drop { " headdrop" } else { "" })
    }
}

/// `bfifo [limit SIZE]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BfifoSpec {
    /// The limit in bytes; 1000 full Ethernet frames, as in Linux for a txqueuelen of 1000.
    pub limit: Bytes,
}

impl Default for BfifoSpec {
    fn default() -> Self {
        Self { limit: Bytes(1514) * 1000 }
    }
}

impl BfifoSpec {
    pub(super) fn build<P: Packet>(&self) -> Fifo<P, TailDrop> {
        Fifo::new(Limit::bytes(self.limit), TailDrop)
    }
}

impl Draft for BfifoSpec {
    type Spec = Self;
    const OPTIONS: &'static str = "limit";

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        match option.text {
            "limit" => self.limit = words.size(option)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl fmt::Display for BfifoSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bfifo limit {}", TcSize(self.limit))
    }
}
