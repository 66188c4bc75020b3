//! The way to the server as places that everybody knows, and what each adds.

use observation::Heading;
use results::{Grade, LoadedDirection, Measurement, NetworkPart, Offender};

use super::queue::is_healthy;
use crate::number::duration;
use crate::page::Place;
use crate::text::printable;

/// The parts of the network, from this computer on.
const PARTS: [(NetworkPart, &str); 4] = [
    (NetworkPart::OwnHost, "This computer"),
    (NetworkPart::FirstHop, "Wi-Fi or cable"),
    (NetworkPart::AccessLine, "Router and line"),
    (NetworkPart::Beyond, "Internet"),
];

/// The places of the way; none if no queue adds much, or if nobody knows where it is.
pub(super) fn path(measurement: &Measurement) -> Vec<Place> {
    let adds: Vec<_> = measurement.judged().filter_map(added).collect();
    if adds.is_empty() {
        return Vec::new();
    }
    let place = |(part, name): &(NetworkPart, &str)| {
        let here = adds.iter().filter(|(it, _)| it.place == *part);
        let address = here.clone().find_map(|(it, _)| it.address);
        Place {
            name: (*name).into(),
            address: address.map(|it| it.to_string()).unwrap_or_default(),
            adds: here.map(|(_, adds)| adds.clone()).collect(),
        }
    };
    let server =
        Place { name: "Server".into(), address: printable(&measurement.server), adds: Vec::new() };
    PARTS.iter().map(place).chain([server]).collect()
}

/// The place of a queue that adds much, and how much; `None` for any other.
fn added((heading, direction): (Heading, &LoadedDirection)) -> Option<(&Offender, String)> {
    let offender = direction.offender.as_ref();
    let offender = offender.filter(|it| it.place != NetworkPart::Unknown)?;
    let added = direction.added_p95_ms().filter(|it| !is_healthy(Grade::of(*it)))?;
    Some((offender, format!("adds {} to an {}", duration(added), heading.in_words())))
}

#[cfg(test)]
mod tests {
    use super::super::example::{bloated, cured};
    use super::*;

    #[test]
    fn the_guilty_place_says_what_it_adds() {
        let places = path(&bloated());
        let adds: Vec<_> = places.iter().map(|it| it.adds.len()).collect();
        assert_eq!(adds, [0, 0, 2, 0, 0]);
        assert_eq!(places[2].adds[1], "adds 1.05 s to an upload");
        assert_eq!(path(&cured()), []);
    }
}
