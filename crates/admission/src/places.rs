//! Places, and the rules by which one is taken from its holder.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::origin::{ClientPrefix, Network, Origin};

/// The number under which a holder has its place. Places are numbered in the order in which they
/// are given.
pub type Ticket = u64;

/// A limited number of places, each held together with a value of type `T`.
#[derive(Debug)]
pub struct Places<T> {
    most: usize,
    next: Ticket,
    held: BTreeMap<Ticket, (Origin, T)>,
    networks: BTreeMap<Network, usize>,
    clients: BTreeMap<ClientPrefix, usize>,
}

/// The result of asking for a place.
#[derive(Debug, PartialEq, Eq)]
pub enum Admission<T> {
    /// A free place, under this number.
    Free(Ticket),
    /// The place of another holder, under this number. The other holder has lost the place; the
    /// second value is the one with which it held the place.
    InPlaceOf(Ticket, T),
    /// No place: the newcomer is refused.
    Full,
}

impl<T> Places<T> {
    /// Creates `most` places, all of them free.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            next: 0,
            held: BTreeMap::new(),
            networks: BTreeMap::new(),
            clients: BTreeMap::new(),
        }
    }

    /// The number of places that are held.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// True if no place is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The number of places that a client holds.
    pub fn of_client(&self, client: impl Into<ClientPrefix>) -> usize {
        self.clients.get(&client.into()).copied().unwrap_or(0)
    }

    /// The values of held places, in the order in which they were taken.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.held.values().map(|(_, held)| held)
    }

    /// Gives a place to this address, held with the value `with`. If no place is free, one is taken
    /// from a network or a client that then still holds at least as many places as the newcomer. Of
    /// its places the one of the lowest `worth` is taken, and of several such the latest.
    pub fn enter<W: Ord>(
        &mut self,
        address: IpAddr,
        with: T,
        worth: impl Fn(&T) -> W,
    ) -> Admission<T> {
        let origin = Origin::from(address);
        if self.held.len() < self.most {
            return Admission::Free(self.hold(origin, with));
        }
        let Some(loser) = self.loser(origin, worth) else { return Admission::Full };
        match self.leave(loser) {
            Some(lost) => Admission::InPlaceOf(self.hold(origin, with), lost),
            None => Admission::Full,
        }
    }

    /// Gives a place to this address, even if another holder with as many places loses one. If no
    /// place is free, the oldest place of the largest clients in the largest networks is taken.
    pub fn push(&mut self, address: IpAddr, with: T) -> Admission<T> {
        let origin = Origin::from(address);
        if self.held.len() < self.most {
            return Admission::Free(self.hold(origin, with));
        }
        let rank = self.held.values().map(|(origin, _)| self.rank(origin)).max();
        let mut held = self.held.iter();
        let first = held.find(|(_, (origin, _))| Some(self.rank(origin)) == rank);
        match first.map(|(ticket, _)| *ticket).and_then(|ticket| self.leave(ticket)) {
            Some(lost) => Admission::InPlaceOf(self.hold(origin, with), lost),
            None => Admission::Full,
        }
    }

    /// Frees a place, and returns the value with which it was held; `None` if the holder had lost
    /// the place before.
    pub fn leave(&mut self, ticket: Ticket) -> Option<T> {
        let (origin, with) = self.held.remove(&ticket)?;
        release(&mut self.networks, origin.network);
        release(&mut self.clients, origin.client);
        Some(with)
    }

    fn hold(&mut self, origin: Origin, with: T) -> Ticket {
        let ticket = self.next;
        self.next += 1;
        self.held.insert(ticket, (origin, with));
        *self.networks.entry(origin.network).or_default() += 1;
        *self.clients.entry(origin.client).or_default() += 1;
        ticket
    }

    /// The place that is taken for a newcomer of this origin; `None` if the newcomer may take none.
    fn loser<W: Ord>(&self, newcomer: Origin, worth: impl Fn(&T) -> W) -> Option<Ticket> {
        let own = self.networks.get(&newcomer.network).copied().unwrap_or(0);
        let most = self.networks.values().max().copied().unwrap_or(0);
        let own_client = self.clients.get(&newcomer.client).copied().unwrap_or(0);
        // The holder must have two places more, not one: otherwise two holders would take one place
        // from each other in turn.
        let may_lose = |origin: &Origin| match most > own + 1 {
            true => true,
            false => {
                origin.network == newcomer.network && self.clients[&origin.client] > own_client + 1
            }
        };
        let held = || self.held.iter().filter(|(_, (origin, _))| may_lose(origin));
        let rank = held().map(|(_, (origin, _))| self.rank(origin)).max()?;
        let largest = held().rev().filter(|(_, (origin, _))| self.rank(origin) == rank);
        largest.min_by_key(|(_, (_, with))| worth(with)).map(|(ticket, _)| *ticket)
    }

    /// The numbers of places that the network and the client of this origin hold.
    fn rank(&self, origin: &Origin) -> (usize, usize) {
        (self.networks[&origin.network], self.clients[&origin.client])
    }
}

fn release<K: Ord>(counts: &mut BTreeMap<K, usize>, key: K) {
    if let Some(count) = counts.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests;
