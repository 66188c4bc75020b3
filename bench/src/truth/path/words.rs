//! Paths in a line of text.

use std::fmt;

use super::{Block, Deaf, End, Favoured, Limit, Neighbour, Path, PathDirection, Queue, Shaper};

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name}: ")?,
            None => write!(f, "{}/{}: ", self.seed, self.index)?,
        }
        write!(f, "{} routers", self.routers)?;
        write!(f, ", up {}, down {}", self.up, self.down)?;
        write!(f, ", {} ms", self.rtt_ms)?;
        if self.jitter_ms > 0.0 {
            write!(f, " +{} ms", self.jitter_ms)?;
        }
        write!(f, " at link {}", self.delay_link)?;
        let words = [
            (self.offload, "GSO"),
            (self.ipv6, "IPv6"),
            (self.nat, "NAT"),
            (self.favours_udp(), "UDP first"),
            (self.favoured == Some(Favoured::Icmp), "ICMP first"),
            (self.busy == Some(End::Client), "busy client"),
            (self.busy == Some(End::Server), "busy server"),
        ];
        for (_, word) in words.iter().filter(|(holds, _)| *holds) {
            write!(f, ", {word}")?;
        }
        if let Some(neighbour) = &self.neighbour {
            write!(f, ", {neighbour}")?;
        }
        if let Some((router, deaf)) = self.deaf {
            let how = if deaf == Deaf::Silent { "silent" } else { "seldom answers" };
            write!(f, ", router {router} {how}")?;
        }
        match self.block {
            None => {}
            Some(Block::Large) => write!(f, ", over 1400 bytes swallowed")?,
            Some(Block::Udp) => write!(f, ", UDP swallowed")?,
            Some(Block::Cut(second)) => write!(f, ", cut after {second} s")?,
        }
        if let Some(mbit) = self.server_limit {
            write!(f, ", server told {mbit} Mbit/s")?;
        }
        write!(f, ", {}", self.congestion)?;
        self.arguments.iter().try_for_each(|argument| write!(f, ", {argument}"))
    }
}

impl fmt::Display for PathDirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.queue {
            None => write!(f, "open")?,
            Some(queue) => write!(f, "{queue} at {}", self.node)?,
        }
        if let Some((node, queue)) = &self.second {
            write!(f, " + {queue} at {node}")?;
        }
        if self.loss > 0.0 {
            write!(f, " losing {} %", self.loss * 100.0)?;
        }
        if let Some(seconds) = self.varies_s {
            write!(f, " varying each {seconds} s")?;
        }
        Ok(())
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Mbit/s ", self.mbit)?;
        match self.shaper {
            Shaper::Htb => write!(f, "HTB")?,
            Shaper::Tbf => write!(f, "TBF")?,
            Shaper::Boosted { bytes, times } => {
                write!(f, "TBF boosted {times} times for {bytes} B")?;
            }
            Shaper::Policer { bytes } => write!(f, "policer {bytes} B")?,
        }
        match self.limit {
            Limit::Bytes(bytes) => write!(f, " bfifo {bytes} B")?,
            Limit::Packets(packets) => write!(f, " pfifo {packets}")?,
            Limit::Nothing => return Ok(()),
        }
        write!(f, " ({:.0} ms)", self.full_ms())
    }
}

impl fmt::Display for Neighbour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = self.heading().name();
        match self.connections {
            0 => write!(f, "a neighbour's UDP {way} at {} %", (self.part * 100.0).round())?,
            count => write!(f, "a neighbour's {count} TCP {way}")?,
        }
        match self.seconds {
            None => Ok(()),
            Some([from, to]) => write!(f, " from {from} to {to} s"),
        }
    }
}
