//! The names of link layers and of round trips.
//!
//! Specification: tc-cake(8), "Overhead compensation parameters" and "Round trip time parameters";
//! iproute2, tc/q_cake.c.

use units::Span;

use super::framing::Cells;

/// The round trips that have names. `interplanetary` is 1000 s, as in tc's source; its manual says
/// an hour.
pub(super) const PRESETS: [(&str, Span); 8] = [
    ("datacentre", Span::from_micros(100)),
    ("lan", Span::from_millis(1)),
    ("metro", Span::from_millis(10)),
    ("regional", Span::from_millis(30)),
    ("internet", Span::from_millis(100)),
    ("oceanic", Span::from_millis(300)),
    ("satellite", Span::from_secs(1)),
    ("interplanetary", Span::from_secs(1000)),
];

/// What the name of a link layer stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkLayer {
    /// Bytes that it adds to those of the words before.
    pub(super) overhead: i64,
    /// The cells; `None` if the name says nothing of them.
    pub(super) cells: Option<Cells>,
    /// The fewest bytes of a packet; `None` if the name says nothing of them.
    pub(super) mpu: Option<u16>,
}

/// The link layer of this name; `None` if there is none.
pub(super) fn named(name: &str) -> Option<LinkLayer> {
    let over = |cells, overhead| LinkLayer { overhead, cells: Some(cells), mpu: None };
    let (atm, ptm) = (|overhead| over(Cells::Atm, overhead), |overhead| over(Cells::Ptm, overhead));
    Some(match name {
        "ipoa-vcmux" => atm(8),
        "ipoa-llcsnap" => atm(16),
        "bridged-vcmux" => atm(24),
        "bridged-llcsnap" => atm(32),
        "pppoa-vcmux" => atm(10),
        "pppoa-llc" => atm(14),
        "pppoe-vcmux" => atm(32),
        "pppoe-llcsnap" => atm(40),
        "pppoe-ptm" => ptm(30),
        "bridged-ptm" => ptm(22),
        "docsis" => LinkLayer { mpu: Some(64), ..over(Cells::None, 18) },
        "ethernet" => LinkLayer { overhead: 38, cells: None, mpu: Some(84) },
        "ether-vlan" => LinkLayer { overhead: 4, cells: None, mpu: None },
        _ => return None,
    })
}
