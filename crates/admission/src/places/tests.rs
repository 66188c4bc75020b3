use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// An address of this client in this network.
fn address(network: u8, client: u8) -> IpAddr {
    [198, 51, network, client].into()
}

fn enter(places: &mut Places<(u8, u8)>, network: u8, client: u8) -> Admission<(u8, u8)> {
    places.enter(address(network, client), (network, client), |_| 0)
}

#[test]
fn two_addresses_that_hold_all_make_room_for_a_third() {
    let mut places = Places::new(8);
    for number in 0..8 {
        assert!(matches!(enter(&mut places, number % 2, 1), Admission::Free(_)));
    }
    for honest in 2..8 {
        let Admission::InPlaceOf(_, (network, _)) = enter(&mut places, honest, 1) else {
            panic!("network {honest} is locked out");
        };
        assert!(network < 2, "network {network} has lost its only place");
    }
    assert_eq!(enter(&mut places, 8, 1), Admission::Full, "eight networks hold one place each");
    assert_eq!(enter(&mut places, 0, 1), Admission::Full);
}

#[test]
fn clients_of_a_network_share_what_it_has() {
    let mut places = Places::new(4);
    for _ in 0..3 {
        enter(&mut places, 1, 1);
    }
    enter(&mut places, 2, 1);
    // Network 1 gets no more, but its second client gets its share.
    let Admission::InPlaceOf(_, lost) = enter(&mut places, 1, 2) else { panic!("locked out") };
    assert_eq!(lost, (1, 1));
    assert_eq!(enter(&mut places, 1, 2), Admission::Full, "two and one is as fair as one and two");
}

#[test]
fn the_least_worth_goes_first_and_then_the_latest() {
    let mut places = Places::new(3);
    for (worth, name) in [(2, "first"), (1, "second"), (2, "third")] {
        places.enter(address(1, 1), (worth, name), |held| held.0);
    }
    for (network, gone) in [(2, "second"), (3, "third")] {
        let entry = places.enter(address(network, 1), (3, "new"), |held| held.0);
        let Admission::InPlaceOf(_, lost) = entry else { panic!("locked out") };
        assert_eq!(lost.1, gone);
    }
}

#[test]
fn whoever_waits_longest_in_the_largest_network_is_pushed_out() {
    let mut places = Places::new(4);
    for (network, client) in [(9, 1), (1, 1), (1, 2), (1, 2)] {
        places.push(address(network, client), (network, client));
    }
    assert_eq!(places.push(address(2, 1), (2, 1)), Admission::InPlaceOf(4, (1, 2)));
    assert_eq!(places.len(), 4);
}

#[test]
fn a_place_is_given_back_once() {
    let mut places = Places::new(1);
    let Admission::Free(ticket) = enter(&mut places, 1, 1) else { panic!("not free") };
    assert_eq!((places.leave(ticket), places.leave(ticket)), (Some((1, 1)), None));
    assert!(places.is_empty() && places.networks.is_empty() && places.clients.is_empty());
    assert!(matches!(Places::new(0).enter(address(1, 1), (), |()| 0), Admission::Full));
}

/// A random event: somebody comes, or the holder of a place leaves.
#[derive(Clone, Debug)]
enum Event {
    Come(u8, u8),
    Leave(prop::sample::Index),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..6_u8, 0..4_u8).prop_map(|(network, client)| Event::Come(network, client)),
        1 => any::<prop::sample::Index>().prop_map(Event::Leave),
    ]
}

proptest! {
    #[test]
    fn places_are_shared_fairly(most in 1..9_usize, events in prop::collection::vec(event(), 0..80)) {
        let mut places = Places::new(most);
        for event in events {
            let before: Vec<(u8, u8)> = places.iter().copied().collect();
            let of = |network| before.iter().filter(|held| held.0 == network).count();
            match event {
                Event::Leave(index) if !places.is_empty() => {
                    let ticket = *index.get(&places.held.keys().copied().collect::<Vec<_>>());
                    prop_assert!(places.leave(ticket).is_some());
                }
                Event::Leave(_) => {}
                Event::Come(network, client) => {
                    let same = before.iter().filter(|held| **held == (network, client)).count();
                    match enter(&mut places, network, client) {
                        Admission::Free(_) => prop_assert!(before.len() < most),
                        Admission::InPlaceOf(_, lost) => {
                            prop_assert_eq!(before.len(), most);
                            let least = if lost.0 == network { 1 } else { of(network) + 2 };
                            prop_assert!(of(lost.0) >= least, "{lost:?} for {network}: {before:?}");
                            if lost.0 == network {
                                let theirs = before.iter().filter(|held| **held == lost).count();
                                prop_assert!(theirs >= same + 2, "{before:?}");
                            }
                        }
                        Admission::Full => {
                            prop_assert_eq!(before.len(), most);
                            let others: BTreeSet<u8> = before.iter().map(|held| held.0).collect();
                            // A network without a place is turned away only if as many others hold
                            // one each.
                            prop_assert!(of(network) > 0 || others.len() == most, "{before:?}");
                            // No network holds two more than the one that was turned away.
                            prop_assert!(others.iter().all(|other| of(*other) <= of(network) + 1));
                        }
                    }
                }
            }
            prop_assert!(places.len() <= most);
        }
    }

    #[test]
    fn whoever_pushes_gets_in(most in 1..9_usize, comers in prop::collection::vec((0..6_u8, 0..4_u8), 0..80)) {
        let mut places = Places::new(most);
        for (network, client) in comers {
            let before: Vec<(u8, u8)> = places.iter().copied().collect();
            let count = |wanted: u8| before.iter().filter(|held| held.0 == wanted).count();
            let admission = places.push(address(network, client), (network, client));
            if let Admission::InPlaceOf(_, lost) = admission {
                prop_assert!((0..6).all(|other| count(other) <= count(lost.0)), "{before:?}");
            }
            prop_assert_eq!(places.iter().last(), Some(&(network, client)));
        }
    }
}
