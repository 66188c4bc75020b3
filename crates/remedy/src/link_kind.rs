//! Kinds of lines, and how long a packet is on each.
//!
//! Overheads are those of CAKE's keywords (tc-cake(8), "Manual overhead specification"): they count
//! from the IP packet. The smallest packet of VDSL2 and of Ethernet is an Ethernet frame of 64
//! bytes and what surrounds it on the line.

use observation::Heading;
use results::{LinkLayer, WireCells};
use units::{Bytes, Rate};

/// A kind of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkKind {
    /// Name by which people ask for it: `vdsl2-pppoe`.
    pub name: &'static str,
    /// The line in words.
    pub words: &'static str,
    /// Bytes that each IP packet is longer on the line.
    pub overhead: u16,
    /// Fewest bytes of a packet on the line; 0 for no such bound.
    pub mpu: u16,
    /// The cells into which packets are cut.
    pub cells: WireCells,
}

/// The most overhead that a line without cells usually has, and its smallest packet: what OpenWrt's
/// documentation of SQM advises for a line that is not known, and a frame of Ethernet with
/// preamble and gap (IEEE 802.3).
const UNKNOWN: LinkKind = kind("unknown", "a line that nobody named", 44, 84, WireCells::None);

/// The same for a line that may be ADSL, as it is slow: packets count as cells. If it is not ADSL, a
/// full packet costs nothing more, since the rate of the line was found with full packets, and an
/// acknowledgement a tenth.
const UNKNOWN_SLOW: LinkKind =
    kind("unknown", "a slow line that nobody named", 44, 84, WireCells::Atm);

/// The same for a line that is too fast for ADSL and has less than a tenth of its download's rate up: of
/// the usual kinds only cable is so. Its upload is full of acknowledgements, of which each byte too many
/// costs.
const UNKNOWN_ASYMMETRIC: LinkKind =
    kind("unknown", "an asymmetric line that nobody named", 18, 64, WireCells::None);

const fn kind(
    name: &'static str,
    words: &'static str,
    overhead: u16,
    mpu: u16,
    cells: WireCells,
) -> LinkKind {
    LinkKind { name, words, overhead, mpu, cells }
}

/// All kinds that have names.
const KINDS: [LinkKind; 17] = [
    UNKNOWN,
    kind("ethernet", "fibre or Ethernet", 38, 84, WireCells::None),
    kind("ethernet-vlan", "fibre or Ethernet with a VLAN", 42, 84, WireCells::None),
    kind("ethernet-pppoe", "fibre or Ethernet with PPPoE", 46, 84, WireCells::None),
    kind("ethernet-pppoe-vlan", "fibre or Ethernet with PPPoE in a VLAN", 50, 84, WireCells::None),
    kind("docsis", "cable (DOCSIS)", 18, 64, WireCells::None),
    kind("vdsl2", "VDSL2 without PPPoE", 22, 68, WireCells::Ptm),
    kind("vdsl2-vlan", "VDSL2 with a VLAN", 26, 68, WireCells::Ptm),
    kind("vdsl2-pppoe", "VDSL2 with PPPoE", 30, 68, WireCells::Ptm),
    kind("vdsl2-pppoe-vlan", "VDSL2 with PPPoE in a VLAN", 34, 68, WireCells::Ptm),
    kind("adsl-pppoe-llc", "ADSL with PPPoE, LLC", 40, 0, WireCells::Atm),
    kind("adsl-pppoe-vc", "ADSL with PPPoE, VC-MUX", 32, 0, WireCells::Atm),
    kind("adsl-pppoa-llc", "ADSL with PPPoA, LLC", 14, 0, WireCells::Atm),
    kind("adsl-pppoa-vc", "ADSL with PPPoA, VC-MUX", 10, 0, WireCells::Atm),
    kind("adsl-bridged-llc", "ADSL as a bridge, LLC", 32, 0, WireCells::Atm),
    kind("adsl-bridged-vc", "ADSL as a bridge, VC-MUX", 24, 0, WireCells::Atm),
    kind("adsl-ipoa-llc", "ADSL with IP over ATM, LLC", 16, 0, WireCells::Atm),
];

impl LinkKind {
    /// All kinds, the unknown one first.
    pub const ALL: &'static [Self] = &KINDS;

    /// The kind of a line that nobody named.
    pub const fn unknown() -> &'static Self {
        &KINDS[0]
    }

    /// The kind of a line that nobody named, of these rates up and down: one with cells if ADSL may have
    /// those that are known, and else one without much beside the packets if they are very different.
    pub fn assumed([up, down]: [Option<Rate>; 2]) -> &'static Self {
        let adsl = Self::ALL.iter().find(|kind| kind.cells == WireCells::Atm);
        let is_faster = |heading, rate: Option<Rate>| {
            let most = adsl.and_then(|kind| kind.fastest(heading));
            rate.zip(most).is_some_and(|(rate, most)| rate > most)
        };
        match is_faster(Heading::Up, up) || is_faster(Heading::Down, down) {
            true if is_asymmetric([up, down]) => &UNKNOWN_ASYMMETRIC,
            true => Self::unknown(),
            false => &UNKNOWN_SLOW,
        }
    }

    /// The kind of this name; `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|kind| kind.name == name)
    }

    /// True if nobody said which kind it is.
    pub fn is_unknown(&self) -> bool {
        self.name == UNKNOWN.name
    }

    /// The most that such a line carries in a direction; `None` if there is no bound that matters.
    ///
    /// ADSL2+ has up to 24 Mbit/s down (ITU-T G.992.5), and 3.3 Mbit/s up with its Annex M.
    pub const fn fastest(&self, heading: Heading) -> Option<Rate> {
        match (self.cells, heading) {
            (WireCells::Atm, Heading::Up) => Some(Rate::from_mbit(4)),
            (WireCells::Atm, Heading::Down) => Some(Rate::from_mbit(25)),
            _ => self.fastest_together(),
        }
    }

    /// The most that such a line carries in both directions together; `None` if there is no bound that
    /// matters.
    ///
    /// VDSL2 has 400 Mbit/s (ITU-T G.993.2, profile 35b).
    pub const fn fastest_together(&self) -> Option<Rate> {
        match self.cells {
            WireCells::Ptm => Some(Rate::from_mbit(400)),
            WireCells::Atm | WireCells::None => None,
        }
    }

    /// The length of an IP packet on the line.
    pub fn on_wire(&self, packet: Bytes) -> Bytes {
        let framed = (packet.0 + u64::from(self.overhead)).max(self.mpu.into());
        Bytes(match self.cells {
            WireCells::None => framed,
            WireCells::Atm => framed.div_ceil(48) * 53,
            WireCells::Ptm => framed + framed.div_ceil(64),
        })
    }

    /// The words of CAKE for this kind.
    pub fn cake(&self) -> String {
        let cells = match self.cells {
            WireCells::None => "noatm",
            WireCells::Atm => "atm",
            WireCells::Ptm => "ptm",
        };
        format!("overhead {} mpu {} {cells}", self.overhead, self.mpu)
    }

    /// The kind as the document has it.
    pub fn layer(&self) -> LinkLayer {
        let Self { name, overhead, mpu, cells, .. } = *self;
        LinkLayer { kind: name.to_owned(), overhead, mpu, cells }
    }
}

/// The ratio of the rates from which the upload is crowded by acknowledgements.
const ASYMMETRIC: u64 = 10;

/// True if the upload, the first of these rates, has less than a tenth of the download.
pub(crate) fn is_asymmetric(rates: [Option<Rate>; 2]) -> bool {
    let [Some(up), Some(down)] = rates else { return false };
    up.bits_per_sec().saturating_mul(ASYMMETRIC) < down.bits_per_sec()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ATM: 1540 bytes fill 33 cells of 48; PTM: one byte more for each 64 begun.
    #[test]
    fn lengths_on_the_line() {
        let of = |name, bytes| LinkKind::named(name).unwrap().on_wire(Bytes(bytes)).0;
        assert_eq!(of("adsl-pppoe-llc", 1500), 33 * 53);
        assert_eq!(of("adsl-pppoe-llc", 40), 2 * 53);
        assert_eq!(of("vdsl2-pppoe", 1500), 1530 + 24);
        assert_eq!(of("vdsl2-pppoe", 28), 68 + 2);
        assert_eq!(of("docsis", 28), 64);
        assert_eq!(of("docsis", 1500), 1518);
        assert_eq!(of("unknown", 1500), 1544);
    }

    #[test]
    fn names_are_found() {
        for kind in LinkKind::ALL {
            assert_eq!(LinkKind::named(kind.name), Some(kind));
        }
        assert_eq!(LinkKind::named("cable"), None);
    }
}
