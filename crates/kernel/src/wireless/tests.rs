use units::Rng;

use super::*;
use crate::attributes::attribute;

/// A station at 65 and 866.7 Mbit/s and -71 dBm, to which 1,234 frames were sent again, as `nl80211_send_station` of Linux writes it:
/// numbers are in the machine's byte order, both forms of each rate are there, and other attributes
/// between.
fn answer() -> Vec<u8> {
    const GENERATION: u16 = 46;
    const MCS: u16 = 2;
    const NESTED: u16 = 0x8000;
    let rate = |units: u32| {
        let short = u16::try_from(units).unwrap();
        [
            attribute(RATE_32, &units.to_ne_bytes()),
            attribute(RATE, &short.to_ne_bytes()),
            attribute(MCS, &[7]),
        ]
        .concat()
    };
    let about = [
        attribute(SIGNAL, &(-71_i8).to_ne_bytes()),
        attribute(SENDS | NESTED, &rate(650)),
        attribute(RECEIVES | NESTED, &rate(8_667)),
        attribute(RETRIES, &1234_u32.to_ne_bytes()),
    ];
    [
        attribute(INTERFACE, &3_u32.to_ne_bytes()),
        attribute(ADDRESS, &[2, 0, 0, 0, 1, 0]),
        attribute(GENERATION, &9_u32.to_ne_bytes()),
        attribute(STATION | NESTED, &about.concat()),
    ]
    .concat()
}

#[test]
fn a_station_is_read() {
    let expected = Station {
        sends: Rate::from_bits_per_sec(65_000_000),
        receives: Rate::from_bits_per_sec(866_700_000),
        signal: Some(-71),
        retries: Some(1234),
        address: Some([2, 0, 0, 0, 1, 0]),
    };
    assert_eq!(station(&answer()), Some(expected));
}

#[test]
fn what_is_not_told_is_not_known() {
    assert_eq!(station(&[]), None);
    assert_eq!(station(&attribute(STATION, &[])), Some(Station::default()));
    // Before Linux 3.8 there was only the 16-bit number; a rate of 0 is none.
    let old = |units: u16| {
        let rate = attribute(SENDS, &attribute(RATE, &units.to_ne_bytes()));
        station(&attribute(STATION, &rate)).and_then(|station| station.sends)
    };
    assert_eq!((old(540), old(0)), (Rate::from_bits_per_sec(54_000_000), None));
}

#[test]
fn nonsense_is_read_without_harm() {
    let mut rng = Rng::new(1);
    for _ in 0..20_000 {
        let mut bytes = answer();
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len() as u64) as usize;
            bytes[at] = rng.next_u64() as u8;
        }
        bytes.truncate(rng.below(bytes.len() as u64 + 1) as usize);
        // Any answer will do.
        let _ = station(&bytes);
    }
}

#[test]
fn a_kernel_without_it_says_so() {
    match Wireless::open() {
        Ok(wireless) => assert!(wireless.station(u32::MAX).is_err()),
        Err(error) => assert_eq!(error.kind(), io::ErrorKind::NotFound, "{error}"),
    }
}
