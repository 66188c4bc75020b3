//! The way to the server as places that everybody knows, and what each adds.

use observation::Heading;
use results::{Grade, LoadedDirection, Measurement, Offender};

use super::advice::server_hop;
use super::card::grade_of;
use super::queue::is_healthy;
use super::words::{SURE, Seat, load};
use crate::number::duration;
use crate::page::{Addition, Place};
use crate::text::printable;

/// A drawn place, with the places of queues that it stands for.
type Drawn = (&'static str, &'static [Seat]);

/// The parts of the network, from this computer on, by the names that they have without a queue.
const PARTS: [Drawn; 5] = [
    ("This computer", &[Seat::Computer, Seat::BeforeRouter]),
    ("Wi-Fi or cable", &[Seat::AccessPoint]),
    ("Router and line", &[Seat::Router, Seat::Provider]),
    ("Internet", &[Seat::Beyond]),
    (SERVER, &[Seat::Server]),
];

/// The parts of a path without a router.
const WITHOUT_ROUTER: [Drawn; 2] =
    [("This computer", &[Seat::Computer, Seat::NextToComputer]), (SERVER, &[Seat::Server])];

const SERVER: &str = "Server";

/// The name of a place with a queue there, if it is known less exactly than the place without one.
const fn name_with_queue(seat: Seat) -> Option<&'static str> {
    match seat {
        Seat::NextToComputer | Seat::BeforeRouter => Some("This computer or next to it"),
        Seat::AccessPoint => Some("Wi-Fi or router"),
        Seat::Server => Some("Server or next to it"),
        Seat::Computer | Seat::Router | Seat::Provider | Seat::Beyond => None,
    }
}

/// The places of the way; none if no queue adds much, or if nobody knows where it is.
pub(super) fn path(measurement: &Measurement) -> Vec<Place> {
    let server = server_hop(measurement);
    let added = |judged| added(judged, server);
    let adds: Vec<_> = measurement.judged().filter_map(added).collect();
    if adds.is_empty() {
        return Vec::new();
    }
    let place = |(name, seats): &Drawn| {
        let here = adds.iter().filter(|(seat, ..)| seats.contains(seat));
        let address = here.clone().find_map(|(_, offender, _)| offender.address);
        let address = address.map(|it| it.to_string()).unwrap_or_default();
        let vague = here.clone().find_map(|(seat, ..)| name_with_queue(*seat));
        Place {
            name: vague.unwrap_or(name).into(),
            address: if *name == SERVER { printable(&measurement.server) } else { address },
            adds: here.map(|(.., adds)| adds.clone()).collect(),
        }
    };
    match server {
        Some(1) => WITHOUT_ROUTER.iter().map(place).collect(),
        _ => PARTS.iter().map(place).collect(),
    }
}

/// The place of a queue that adds much, and how much; `None` for any other.
fn added(
    (heading, direction): (Heading, &LoadedDirection),
    server: Option<u8>,
) -> Option<(Seat, &Offender, Addition)> {
    let offender = direction.offender.as_ref()?;
    let seat = Seat::of(offender, server)?;
    let added = direction.added_p95_ms().filter(|it| !is_healthy(Grade::of(*it)))?;
    let probably = if offender.confidence >= SURE { "" } else { "probably " };
    let text = format!("{probably}adds {} to {}", duration(added), load(heading));
    Some((seat, offender, Addition { text, grade: grade_of(direction) }))
}

#[cfg(test)]
mod tests {
    use results::{Leg, NetworkPart};

    use super::super::example::{bloated, cured};
    use super::*;

    #[test]
    fn the_guilty_place_says_what_it_adds() {
        let places = path(&bloated());
        let adds: Vec<_> = places.iter().map(|it| it.adds.len()).collect();
        assert_eq!(adds, [0, 0, 2, 0, 0]);
        assert_eq!(places[2].adds[1].text, "adds 1.05 s to an upload");
        assert!(places[2].adds[0].text.ends_with(" to a download"), "{:?}", places[2].adds);
        // The colours are those of the card.
        let grades: Vec<_> = places[2].adds.iter().map(|it| it.grade).collect();
        assert_eq!(grades, [Some(Grade::C), Some(Grade::F)]);
        assert_eq!(path(&cured()), []);
    }

    /// A test of a server that is next to this computer has no router to draw.
    #[test]
    fn a_path_of_one_hop_is_drawn_as_the_sentences_say_it() {
        let mut measurement = bloated();
        measurement.hops.retain(|hop| hop.hop == 1);
        measurement.hops[0].is_server = true;
        let upload = measurement.upload.as_mut().unwrap();
        let at = |hop, leg, place| Offender {
            hop: Some(hop),
            leg,
            place,
            confidence: 0.9,
            ..Offender::default()
        };
        upload.offender = Some(at(0, Leg::Forward, NetworkPart::FirstHop));
        let download = measurement.download.as_mut().unwrap();
        download.offender = Some(at(1, Leg::Return, NetworkPart::FirstHop));
        let places = path(&measurement);
        let drawn: Vec<_> = places.iter().map(|it| (&*it.name, it.adds.len())).collect();
        assert_eq!(drawn, [("This computer or next to it", 1), ("Server or next to it", 1)]);
        // A place of which the sentences say that it is not known is not drawn.
        for direction in [&mut measurement.upload, &mut measurement.download] {
            let offender = direction.as_mut().unwrap().offender.as_mut().unwrap();
            offender.hop = None;
        }
        assert_eq!(path(&measurement), []);
    }

    #[test]
    fn a_doubtful_place_is_probable() {
        let mut measurement = bloated();
        let upload = measurement.upload.as_mut().unwrap();
        upload.offender.as_mut().unwrap().confidence = 0.5;
        let adds = path(&measurement).into_iter().flat_map(|it| it.adds);
        let adds: Vec<_> = adds.map(|it| it.text).collect();
        assert!(adds.contains(&"probably adds 1.05 s to an upload".to_owned()), "{adds:?}");
    }
}
