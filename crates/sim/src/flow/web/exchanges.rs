//! The live connections of a web load: by the channel of their packets, and by their timers.

use units::Time;

use super::exchange::Exchange;
use crate::agenda::Agenda;
use crate::flow::connection::Counts;

/// In a table of places: nobody has this channel.
const NOBODY: u32 = u32::MAX;
/// The fewest places.
const FEWEST: usize = 64;
/// Channels are numbers of 16 bits.
const MOST_CHANNELS: usize = 1 << 16;

/// Connections in places that are used again. A channel is used again only after all others have
/// been, so that late packets of an old connection do not find a new one.
#[derive(Debug)]
pub(super) struct Exchanges {
    places: Vec<Option<Exchange>>,
    free: Vec<u32>,
    /// Per channel: in which place its connection is.
    channels: Vec<u32>,
    last_channel: usize,
    /// The timers of all places.
    due: Agenda,
}

impl Default for Exchanges {
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

impl Exchanges {
    /// Where the connection with this channel is, if it is live.
    #[inline]
    pub(super) fn place(&self, channel: u16) -> Option<u32> {
        self.channels.get(usize::from(channel)).copied().filter(|place| *place != NOBODY)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut Exchange> {
        self.places.get_mut(place as usize)?.as_mut()
    }

    /// Puts the connection that `open` makes for its channel somewhere. Nothing if there are no
    /// channels left.
    pub(super) fn insert(&mut self, open: impl FnOnce(u16) -> Exchange) -> Option<u32> {
        let channel = self.free_channel()?;
        if self.free.is_empty() {
            self.grow();
        }
        let place = self.free.pop()?;
        self.channels[usize::from(channel)] = place;
        self.places[place as usize] = Some(open(channel));
        Some(place)
    }

    /// The connection has sent what it had: notes when it wants to be woken, or forgets it if it is
    /// gone, and gives its counts.
    #[inline]
    pub(super) fn settle(&mut self, place: u32) -> Option<Counts> {
        let exchange = self.places[place as usize].as_ref()?;
        if !exchange.is_gone() {
            self.due.set(place as usize, exchange.next_wake());
            return None;
        }
        let counts = exchange.connection.counts();
        self.channels[usize::from(exchange.connection.channel())] = NOBODY;
        self.places[place as usize] = None;
        self.due.set(place as usize, None);
        self.free.push(place);
        Some(counts)
    }

    /// When the first of them wants to be woken.
    #[inline]
    pub(super) fn next_due(&self) -> Option<Time> {
        let (due, _) = self.due.next();
        (due < Time::MAX).then_some(due)
    }

    /// One that wants to be woken now, if there is one. It is to be settled afterwards.
    pub(super) fn take_due(&mut self, now: Time) -> Option<u32> {
        let (due, place) = self.due.next();
        (due <= now).then(|| {
            self.due.set(place, None);
            place as u32
        })
    }

    /// All that are live.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Exchange> {
        self.places.iter().flatten()
    }

    /// Tells each of them something.
    pub(super) fn for_each(&mut self, mut tell: impl FnMut(u32, &mut Exchange)) {
        for (place, exchange) in self.places.iter_mut().enumerate() {
            if let Some(exchange) = exchange {
                tell(place as u32, exchange);
            }
        }
    }

    /// Doubles the number of places.
    fn grow(&mut self) {
        let (before, after) = (self.places.len(), (2 * self.places.len()).max(FEWEST));
        self.places.resize_with(after, || None);
        self.free.extend((before..after).rev().map(|place| place as u32));
        self.due = Agenda::new(after);
        for (place, exchange) in self.places.iter().enumerate() {
            self.due.set(place, exchange.as_ref().and_then(Exchange::next_wake));
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
