//! The live connections of a flow, found by the channel of their packets and by their timers.

use units::Time;
use workload::Numbered;

use crate::agenda::Agenda;
use crate::flow::connection::Connection;

/// The smallest number of places that have a timer.
const FEWEST: usize = 16;

/// Connections and their timers.
#[derive(Debug)]
pub(super) struct Connections {
    live: Numbered<Connection>,
    /// The timers of all places, and their number.
    due: Agenda,
    places: usize,
}

impl Default for Connections {
    fn default() -> Self {
        Self { live: Numbered::default(), due: Agenda::new(FEWEST), places: FEWEST }
    }
}

impl Connections {
    /// The place of the connection with this channel; `None` if there is none.
    #[inline]
    pub(super) fn place(&self, channel: u16) -> Option<u32> {
        self.live.place(channel)
    }

    /// The connection at a place; `None` if there is none.
    #[inline]
    pub(super) fn at_mut(&mut self, place: u32) -> Option<&mut Connection> {
        self.live.at_mut(place)
    }

    /// Stores a connection, whose channel no other one has, and returns its place.
    pub(super) fn insert(&mut self, connection: Connection) -> u32 {
        let place = self.live.insert(connection.channel(), connection);
        if place as usize >= self.places {
            self.grow();
        }
        place
    }

    /// Removes the connection with this channel and returns it; `None` if there is none.
    pub(super) fn remove(&mut self, channel: u16) -> Option<Connection> {
        let place = self.live.place(channel)?;
        self.due.set(place as usize, None);
        self.live.remove(place)
    }

    /// Sets the timer of a connection that has nothing more to send now. Returns `None`, or the
    /// connection if it is closed and therefore removed.
    #[inline]
    pub(super) fn settle(&mut self, place: u32) -> Option<Connection> {
        let (channel, connection) = self.live.at(place)?;
        if connection.is_gone() {
            return self.remove(channel);
        }
        self.due.set(place as usize, Some(connection.next_wake()));
        None
    }

    /// The time of the earliest timer; `None` if none is set.
    #[inline]
    pub(super) fn next_due(&self) -> Option<Time> {
        let (due, _) = self.due.next();
        (due < Time::MAX).then_some(due)
    }

    /// The place of a connection whose timer is due; `None` if there is none.
    /// [`settle`](Self::settle) is to be called for it afterwards.
    pub(super) fn take_due(&mut self, now: Time) -> Option<u32> {
        let (due, place) = self.due.next();
        (due <= now).then(|| {
            self.due.set(place, None);
            place as u32
        })
    }

    /// All live connections.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Connection> {
        self.live.iter().map(|(_, connection)| connection)
    }

    /// Doubles the number of places that have a timer.
    fn grow(&mut self) {
        self.places *= 2;
        self.due = Agenda::new(self.places);
        for place in 0..self.live.places() as u32 {
            let due = self.live.at(place).map(|(_, connection)| connection.next_wake());
            self.due.set(place as usize, due);
        }
    }
}
