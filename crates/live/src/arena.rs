//! The memory of waiting packets.
//!
//! Memory comes in three sizes. Most packets are copied into memory that is little larger than they
//! are. That costs less than a new allocation, and a queue of small packets stays small. A large
//! super-packet keeps the memory into which it was received, and the next packet is received into
//! other memory, so that a large super-packet is never copied.

use units::Bytes;

use crate::{KnownFlow, Received, SuperPacket};

#[cfg(test)]
mod tests;

/// The longest packet whose length fits its header, and room before it for the headers of Ethernet
/// and virtio-net.
const WHOLE: usize = (64 + 1) << 10;
/// The sizes of memory: for a packet of the usual 1500 bytes, for jumbo frames and short
/// super-packets, and for all others.
const SIZES: [usize; 3] = [2 << 10, 16 << 10, WHOLE];

/// Memory for packets, reused and bounded. Several pieces may share the memory of their
/// super-packet, which is free again when the last piece is released.
#[derive(Debug)]
pub struct Arena {
    slots: Vec<Slot>,
    /// The places of each size that have memory and hold no packet.
    free: [Vec<u32>; SIZES.len()],
    /// The places that have no memory.
    bare: Vec<u32>,
    blank: Box<[u8]>,
    most: Bytes,
    /// The memory of all places, whether they hold a packet or not.
    taken: Bytes,
    held: Bytes,
}

/// The error that there is no more memory for packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the memory for packets is full")]
pub(crate) struct Full;

/// A place for one packet.
#[derive(Debug)]
struct Slot {
    memory: Box<[u8]>,
    /// The index of the link header in `memory`; `ip_start` if none is kept.
    link_start: usize,
    /// The index of the IP header in `memory`.
    ip_start: usize,
    packet: SuperPacket,
    /// What is known of the packet's flow; `None` if only the bytes tell.
    known: Option<KnownFlow>,
    /// The number of pieces that have not been released.
    pieces: u16,
    /// The index of the memory's size in `SIZES`.
    size: u8,
}

impl Arena {
    /// An arena that holds at most `most` of packets. The memory of one blank buffer comes on top.
    pub(crate) fn new(most: Bytes) -> Self {
        Self {
            slots: Vec::new(),
            free: Default::default(),
            bare: Vec::new(),
            blank: zeros(WHOLE),
            most,
            taken: Bytes::ZERO,
            held: Bytes::ZERO,
        }
    }

    /// The buffer for the next packet, larger than the largest super-packet with its headers. Its
    /// content is lost unless it is [`keep`](Self::keep)t.
    pub(crate) fn blank(&mut self) -> &mut [u8] {
        &mut self.blank
    }

    /// A buffer like the blank one.
    pub(crate) fn buffer(&self) -> Box<[u8]> {
        zeros(self.blank.len())
    }

    /// Keeps the packet that was received into `blank()`, with its link header, until each of its
    /// pieces is released. Small packets are copied into small memory. Returns the packet's place.
    ///
    /// # Errors
    /// If there is no room.
    pub(crate) fn keep(
        &mut self,
        received: &Received,
        packet: SuperPacket,
        pieces: u16,
    ) -> Result<u32, Full> {
        let Received { link_start, ip_start, .. } = *received;
        let end = ip_start + packet.total as usize;
        let total = end - link_start;
        let size = SIZES.iter().position(|size| total <= *size).unwrap_or(SIZES.len() - 1);
        let place = self.vacancy(size, packet)?;
        let slot = &mut self.slots[place as usize];
        if SIZES[size] == WHOLE {
            core::mem::swap(&mut slot.memory, &mut self.blank);
            (slot.link_start, slot.ip_start) = (link_start, ip_start);
        } else {
            slot.memory[..total].copy_from_slice(&self.blank[link_start..end]);
            (slot.link_start, slot.ip_start) = (0, ip_start - link_start);
        }
        (slot.packet, slot.pieces, slot.known) = (packet, pieces, None);
        self.held += Bytes(SIZES[size] as u64);
        Ok(place)
    }

    /// The packet at this place, and its bytes from the IP header on.
    pub(crate) fn packet(&self, place: u32) -> (&SuperPacket, &[u8]) {
        let slot = &self.slots[place as usize];
        let end = slot.ip_start + slot.packet.total as usize;
        (&slot.packet, &slot.memory[slot.ip_start..end])
    }

    /// The link header of the packet at this place; empty if none was kept.
    pub(crate) fn link_header(&self, place: u32) -> &[u8] {
        let slot = &self.slots[place as usize];
        &slot.memory[slot.link_start..slot.ip_start]
    }

    /// Notes what is known of the flow of the packet at this place.
    pub(crate) fn know(&mut self, place: u32, known: Option<KnownFlow>) {
        self.slots[place as usize].known = known;
    }

    /// What is known of the flow of the packet at this place; `None` if only the bytes tell.
    pub(crate) fn known(&self, place: u32) -> Option<KnownFlow> {
        self.slots[place as usize].known
    }

    /// Releases one piece of the packet at this place, and the place with the last one.
    pub(crate) fn release(&mut self, place: u32) {
        let slot = &mut self.slots[place as usize];
        debug_assert!(slot.pieces > 0, "place {place} is released more often than it was taken");
        slot.pieces = slot.pieces.saturating_sub(1);
        if slot.pieces == 0 {
            self.held -= Bytes(slot.memory.len() as u64);
            self.free[usize::from(slot.size)].push(place);
        }
    }

    /// The memory of the packets that the arena holds, which is more than their bytes.
    #[cfg(test)]
    pub(crate) fn held(&self) -> Bytes {
        self.held
    }

    /// A place with memory of this size that holds no packet.
    fn vacancy(&mut self, size: usize, packet: SuperPacket) -> Result<u32, Full> {
        if let Some(place) = self.free[size].pop() {
            return Ok(place);
        }
        let more = Bytes(SIZES[size] as u64);
        if self.held + more > self.most {
            return Err(Full);
        }
        while self.taken + more > self.most {
            self.strip_one()?;
        }
        self.taken += more;
        let slot = Slot {
            memory: zeros(SIZES[size]),
            link_start: 0,
            ip_start: 0,
            packet,
            known: None,
            pieces: 0,
            size: size as u8,
        };
        if let Some(place) = self.bare.pop() {
            self.slots[place as usize] = slot;
            return Ok(place);
        }
        let place = u32::try_from(self.slots.len()).map_err(|_| Full)?;
        self.slots.push(slot);
        Ok(place)
    }

    /// Takes the memory of a free place, the largest one first.
    fn strip_one(&mut self) -> Result<(), Full> {
        let place = self.free.iter_mut().rev().find_map(Vec::pop).ok_or(Full)?;
        let memory = core::mem::take(&mut self.slots[place as usize].memory);
        self.taken -= Bytes(memory.len() as u64);
        self.bare.push(place);
        Ok(())
    }
}

/// A zeroed buffer. Linux gives zeroed memory without touching it, so that unused memory costs
/// nothing.
fn zeros(len: usize) -> Box<[u8]> {
    vec![0; len].into_boxed_slice()
}
