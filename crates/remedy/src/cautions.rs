//! What the reader of a plan should know.

use observation::Heading;
use results::{Caution, Leg, LoadedDirection, Measurement, NetworkPart, Untreated, WireCells};
use units::Rate;

use crate::need::{Need, measured, others_use};
use crate::{Contradiction, LinkKind, Shaper};

/// The rates above which many routers cannot shape: 300 Mbit/s.
const FAST: Rate = Rate::from_mbit(300);

/// What a plan is made of, as far as it may be wrong.
pub(crate) struct Doubts<'a> {
    pub(crate) measurement: Option<&'a Measurement>,
    /// The rates up and down that the user named.
    pub(crate) named: [Option<Rate>; 2],
    /// The needs up and down.
    pub(crate) needs: [Need; 2],
    pub(crate) link: &'static LinkKind,
}

impl Doubts<'_> {
    /// What the reader of a plan with these shapers should know.
    pub(crate) fn cautions(&self, shapers: [&Result<Shaper, Untreated>; 2]) -> Vec<Caution> {
        let shaped: Vec<&Shaper> = shapers.into_iter().filter_map(|it| it.as_ref().ok()).collect();
        if shaped.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let is_unconfirmed = |it: &&Shaper| self.measured(it.heading).is_none();
        found.extend(shaped.iter().any(is_unconfirmed).then_some(Caution::RateUnconfirmed));
        if self.link.is_unknown() {
            found.push(Caution::LinkUnknown);
            found.extend((self.link.cells == WireCells::Atm).then_some(Caution::MaybeAtm));
        }
        let varies = |need: &Need| matches!(need, Need::Shaper { varies: true, .. });
        found.extend(self.needs.iter().any(varies).then_some(Caution::Varies));
        found.extend(shaped.iter().filter_map(|shaper| self.of_rate(shaper)));
        for caution in shaped.iter().filter_map(|shaper| self.of_place(shaper.heading)) {
            if !found.contains(&caution) {
                found.push(caution);
            }
        }
        // Platforms set the rate of packets, or a little more.
        let fast = shaped.iter().filter(|shaper| shaper.bandwidth() > FAST);
        let packets = fast.map(|shaper| shaper.share * shaper.line.as_mbit_f64());
        found.extend(packets.reduce(f64::max).map(|mbit| Caution::Fast { mbit }));
        found.extend((shaped.len() == 1).then_some(Caution::OneDirection));
        found
    }

    fn measured(&self, heading: Heading) -> Option<&LoadedDirection> {
        measured(self.measurement?, heading)
    }

    /// The caution for the rate of a direction; `None` if nothing makes it doubtful.
    fn of_rate(&self, shaper: &Shaper) -> Option<Caution> {
        let heading = shaper.heading;
        let direction = self.measured(heading)?;
        let Some(named) = self.named[usize::from(heading == Heading::Down)] else {
            let part = direction.others_part.filter(|_| others_use(direction))?;
            let most_mbit = shaper.line.as_mbit_f64() / (1.0 - part);
            return Some(Caution::MaybeFaster { heading, most_mbit });
        };
        let contradiction = Contradiction::of(named, direction)?;
        let [named_mbit, measured_mbit] = [named, contradiction.measured()].map(Rate::as_mbit_f64);
        Some(match contradiction {
            Contradiction::Above(_) => Caution::RateAbove { heading, named_mbit, measured_mbit },
            Contradiction::Below(_) => Caution::RateBelow { heading, named_mbit, measured_mbit },
        })
    }

    /// The caution for the place of a direction's queue; `None` if a shaper on the router reaches it,
    /// or the place is not known.
    fn of_place(&self, heading: Heading) -> Option<Caution> {
        const SURE: f64 = 0.7;
        let offender = self.measured(heading)?.offender.as_ref();
        let offender = offender.filter(|offender| offender.confidence >= SURE)?;
        let is_before =
            heading == Heading::Up && offender.hop == Some(0) && offender.leg == Leg::Forward;
        match offender.place {
            NetworkPart::Beyond => Some(Caution::BeyondLine { hop: offender.hop }),
            NetworkPart::OwnHost => Some(Caution::BeforeRouter),
            _ => is_before.then_some(Caution::BeforeRouter),
        }
    }
}
