//! The live connections of a web load: by the channel of their packets, and by their timers.

use units::Time;

use super::http_transaction::HttpTransaction;
use crate::agenda::Agenda;
use crate::flow::connection::Counts;

/// In the table of channels: no connection has this channel.
const NOBODY: u32 = u32::MAX;
/// The smallest number of places.
const FEWEST: usize = 64;
/// Channels are numbers of 16 bits.
const MOST_CHANNELS: usize = 1 << 16;

/// Connections in places that are used again. A channel is used again only after all others have
/// been, so that late packets of an old connection do not find a new one.
#[derive(Debug)]
pub(super) struct HttpTransactions {
    places: Vec<Option<HttpTransaction>>,
    free: Vec<u32>,
    /// The place of each channel's connection.
    channels: Vec<u32>,
    last_channel: usize,
    /// The timers of all places.
    due: Agenda,
}

impl Default for HttpTransactions {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            channels: Vec::new(),
            last_channel: 0,
            due: Agenda::new(0),
        }
    }
}

impl HttpTransactions {
    /// The place of the connection with this channel; `None` if there is none.
    #[inline]
    pub(super) fn place(&self, channel: u16) -> Option<u32> {
        self.channels.get(usize::from(channel)).copied().filter(|place| *place != NOBODY)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut HttpTransaction> {
        self.places.get_mut(place as usize)?.as_mut()
    }

    /// Stores the connection that `open` makes for a channel, and returns its place. `None` if all
    /// channels are used.
    pub(super) fn insert(&mut self, open: impl FnOnce(u16) -> HttpTransaction) -> Option<u32> {
        let channel = self.free_channel()?;
        if self.free.is_empty() {
            self.grow();
        }
        let place = self.free.pop()?;
        self.channels[usize::from(channel)] = place;
        self.places[place as usize] = Some(open(channel));
        Some(place)
    }

    /// Sets the timer of a connection that has nothing more to send now. If it is closed, removes
    /// it instead and returns its counts.
    #[inline]
    pub(super) fn settle(&mut self, place: u32) -> Option<Counts> {
        let transaction = self.places[place as usize].as_ref()?;
        if !transaction.is_gone() {
            self.due.set(place as usize, transaction.next_wake());
            return None;
        }
        let counts = transaction.connection.counts();
        self.channels[usize::from(transaction.connection.channel())] = NOBODY;
        self.places[place as usize] = None;
        self.due.set(place as usize, None);
        self.free.push(place);
        Some(counts)
    }

    /// The time of the earliest timer; `None` if none is set.
    #[inline]
    pub(super) fn next_due(&self) -> Option<Time> {
        let (due, _) = self.due.next();
        (due < Time::MAX).then_some(due)
    }

    /// The place of a connection whose timer is due, if there is one; it is to be settled
    /// afterwards.
    pub(super) fn take_due(&mut self, now: Time) -> Option<u32> {
        let (due, place) = self.due.next();
        (due <= now).then(|| {
            self.due.set(place, None);
            place as u32
        })
    }

    /// All live connections.
    pub(super) fn iter(&self) -> impl Iterator<Item = &HttpTransaction> {
        self.places.iter().flatten()
    }

    /// Calls `tell` for each live connection.
    pub(super) fn for_each(&mut self, mut tell: impl FnMut(u32, &mut HttpTransaction)) {
        for (place, transaction) in self.places.iter_mut().enumerate() {
            if let Some(transaction) = transaction {
                tell(place as u32, transaction);
            }
        }
    }

    /// Doubles the number of places.
    fn grow(&mut self) {
        let (before, after) = (self.places.len(), (2 * self.places.len()).max(FEWEST));
        self.places.resize_with(after, || None);
        self.free.extend((before..after).rev().map(|place| place as u32));
        self.due = Agenda::new(after);
        for (place, transaction) in self.places.iter().enumerate() {
            self.due.set(place, transaction.as_ref().and_then(HttpTransaction::next_wake));
        }
    }

    /// The first free channel after the last that was given.
    fn free_channel(&mut self) -> Option<u16> {
        if self.channels.len() < MOST_CHANNELS {
            self.channels.push(NOBODY);
        }
        let count = self.channels.len();
        let mut next = (1..=count).map(|step| (self.last_channel + step) % count);
        let channel = next.find(|channel| self.channels[*channel] == NOBODY)?;
        self.last_channel = channel;
        u16::try_from(channel).ok()
    }
}
