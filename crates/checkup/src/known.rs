//! What is known of the line, beside what the machine says.

use observation::{EcnPassages, Heading};
use remedy::{Contradiction, LinkKind, is_bloated, line_rate, rate_doubt};
use results::{LoadedDirection, Measurement, NetworkPart};
use units::{Rate, Span};

/// What the user says of the line, or a measurement tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// The direction to the provider.
    pub up: KnownDirection,
    /// The direction from the provider.
    pub down: KnownDirection,
    /// Kind of the line; `None` if nobody said it.
    pub link: Option<&'static LinkKind>,
    /// What the path does to ECN.
    pub ecn: EcnPassages,
    /// Interface to the provider; `None` for that of the default route.
    pub wan: Option<String>,
}

/// What is known of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KnownDirection {
    /// Rate of the line, as IP packets.
    pub rate: Option<Rate>,
    /// What a measurement tells against that rate, which the user named.
    pub contradiction: Option<Contradiction>,
    /// True if a measurement found a long queue; `None` if there is no measurement.
    pub is_bloated: Option<bool>,
    /// Delay that a measurement found others to have under load, beyond that of the idle line; the 95th
    /// percentile.
    pub delay: Option<Span>,
    /// True if a measurement found that queue in this machine.
    pub is_here: bool,
}

impl Known {
    /// What a measurement of this machine's path tells, and the user, who names rates up and down in
    /// place of measured ones.
    pub fn of_line(measurement: Option<&Measurement>, [up, down]: [Option<Rate>; 2]) -> Self {
        let of = |direction: Option<&LoadedDirection>, named: Option<Rate>| {
            let known = direction.map(KnownDirection::measured).unwrap_or_default();
            let contradiction =
                named.zip(direction).and_then(|(named, it)| Contradiction::of(named, it));
            KnownDirection { rate: named.or(known.rate), contradiction, ..known }
        };
        Self {
            up: of(measurement.and_then(|it| it.upload.as_ref()), up),
            down: of(measurement.and_then(|it| it.download.as_ref()), down),
            ecn: measurement.map(|it| it.ecn).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// What this tells of another machine on the same path. A queue that was found in the machine
    /// that measured is not there, and whether there is one besides is not known.
    pub fn of_another_machine(self) -> Self {
        let (up, down) = (self.up.of_another_machine(), self.down.of_another_machine());
        Self { up, down, ..self }
    }

    /// What is known of a direction.
    pub const fn of(&self, heading: Heading) -> &KnownDirection {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }
}

impl KnownDirection {
    const fn of_another_machine(self) -> Self {
        let is_bloated = if self.is_here { None } else { self.is_bloated };
        Self { is_bloated, is_here: false, ..self }
    }

    fn measured(direction: &LoadedDirection) -> Self {
        let is_known = direction.saturated && rate_doubt(direction).is_none();
        let is_bloated = is_bloated(direction);
        let place = direction.offender.as_ref().map(|offender| offender.place);
        Self {
            rate: line_rate(direction).filter(|_| is_known),
            is_bloated: direction.saturated.then_some(is_bloated),
            delay: direction.added_p95_ms().and_then(in_millis),
            is_here: is_bloated && place == Some(NetworkPart::OwnHost),
            contradiction: None,
        }
    }
}

/// The time in whole milliseconds; `None` if it is negative or no number.
fn in_millis(ms: f64) -> Option<Span> {
    (ms.is_finite() && ms >= 0.0).then(|| Span::from_millis(ms.round() as u64))
}
