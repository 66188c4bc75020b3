//! Where the bytes of waiting packets lie.
//!
//! Memory comes in three sizes. Most packets are copied into one that is little larger than they
//! are: that costs less than a fresh piece of memory, and a queue of small packets stays small. A
//! large super-packet keeps the memory into which it was received, and the next one is received
//! into other memory, so that it is never copied.

use units::Bytes;

use crate::{Cut, Parcel, SuperPacket};

#[cfg(test)]
mod tests;

/// The longest packet whose header can tell how long it is, and room before it for the headers of
/// Ethernet and virtio-net.
const WHOLE: usize = (64 + 1) << 10;
/// The sizes: for a packet of the usual 1500 bytes, for jumbo frames and short super-packets, and
/// for all others.
const SIZES: [usize; 3] = [2 << 10, 16 << 10, WHOLE];

/// Memory for packets, reused and bounded. Several parcels may share the super-packet that they are
/// pieces of; its memory is free again when the last of them is [`release`](Self::release)d.
#[derive(Debug)]
pub(crate) struct Arena {
    slots: Vec<Slot>,
    /// Of each size, the places that have memory and hold nothing.
    free: [Vec<u32>; SIZES.len()],
    /// Places that have no memory.
    bare: Vec<u32>,
    blank: Box<[u8]>,
    most: Bytes,
    /// What all places have, whether they hold something or not.
    taken: Bytes,
    held: Bytes,
}

/// There is no more memory for packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the memory for packets is full")]
pub(crate) struct Full;

/// A place.
#[derive(Debug)]
struct Slot {
    memory: Box<[u8]>,
    /// Where in it the IP header begins.
    ip_start: usize,
    packet: SuperPacket,
    /// How many pieces have not been released.
    pieces: u16,
    /// Which of `SIZES`.
    size: u8,
}

impl Arena {
    /// Holds at most so much; beside that it has the memory of one blank.
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

    /// Where the next packet is to be received: more than the largest super-packet with its
    /// headers. Whatever was in it is lost unless it is [`keep`](Self::keep)t.
    pub(crate) fn blank(&mut self) -> &mut [u8] {
        &mut self.blank
    }

    /// Keeps what was received into `blank()[ip_start..]`, once for each of `parcels` pieces.
    /// Small packets are copied into small memory. Returns its place.
    ///
    /// # Errors
    /// If there is no room.
    pub(crate) fn keep(
        &mut self,
        ip_start: usize,
        packet: SuperPacket,
        parcels: u16,
    ) -> Result<u32, Full> {
        let total = packet.total as usize;
        let size = SIZES.iter().position(|size| total <= *size).unwrap_or(SIZES.len() - 1);
        let place = self.vacancy(size, packet)?;
        let slot = &mut self.slots[place as usize];
        if SIZES[size] == WHOLE {
            core::mem::swap(&mut slot.memory, &mut self.blank);
            slot.ip_start = ip_start;
        } else {
            slot.memory[..total].copy_from_slice(&self.blank[ip_start..ip_start + total]);
            slot.ip_start = 0;
        }
        (slot.packet, slot.pieces) = (packet, parcels);
        self.held += Bytes(SIZES[size] as u64);
        Ok(place)
    }

    /// The packet at this place, and its bytes from the IP header on.
    pub(crate) fn packet(&self, place: u32) -> (&SuperPacket, &[u8]) {
        let slot = &self.slots[place as usize];
        let end = slot.ip_start + slot.packet.total as usize;
        (&slot.packet, &slot.memory[slot.ip_start..end])
    }

    /// What a parcel stands for, marked if its queue has marked it; its headers are built in
    /// `scratch`.
    pub(crate) fn cut<'a>(&'a self, parcel: &Parcel, scratch: &'a mut Vec<u8>) -> Cut<'a> {
        let (packet, ip) = self.packet(parcel.place);
        packet.cut(ip, (parcel.first, parcel.packets), parcel.marking.is_marked_here(), scratch)
    }

    /// One piece less.
    pub(crate) fn release(&mut self, parcel: &Parcel) {
        let slot = &mut self.slots[parcel.place as usize];
        debug_assert!(slot.pieces > 0, "released more often than kept: {parcel:?}");
        slot.pieces = slot.pieces.saturating_sub(1);
        if slot.pieces == 0 {
            self.held -= Bytes(slot.memory.len() as u64);
            self.free[usize::from(slot.size)].push(parcel.place);
        }
    }

    /// What is held now: the memory that packets have, of which they fill most or less.
    #[cfg(test)]
    pub(crate) fn held(&self) -> Bytes {
        self.held
    }

    /// A place with memory of this size, and nothing in it.
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
        let slot =
            Slot { memory: zeros(SIZES[size]), ip_start: 0, packet, pieces: 0, size: size as u8 };
        if let Some(place) = self.bare.pop() {
            self.slots[place as usize] = slot;
            return Ok(place);
        }
        let place = u32::try_from(self.slots.len()).map_err(|_| Full)?;
        self.slots.push(slot);
        Ok(place)
    }

    /// Takes the memory of a free place, the largest there is.
    fn strip_one(&mut self) -> Result<(), Full> {
        let place = self.free.iter_mut().rev().find_map(Vec::pop).ok_or(Full)?;
        let memory = core::mem::take(&mut self.slots[place as usize].memory);
        self.taken -= Bytes(memory.len() as u64);
        self.bare.push(place);
        Ok(())
    }
}

/// Linux gives zeros without touching them, so untouched memory costs nothing.
fn zeros(len: usize) -> Box<[u8]> {
    vec![0; len].into_boxed_slice()
}
