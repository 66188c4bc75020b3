//! The sentences of a measurement and of its recording.

use results::{Limit, LoadedDirection, Measurement, Offender, Recording};

use super::evidence::evidence;
use super::incomplete::{partial, recording_partial};
use super::limits::measurement_limits;
use super::remarks::{advice, verdict};
use crate::told::Tell;

/// The verdict, the advice, the limits, the evidence, and the reason why the test is incomplete.
impl Tell for Measurement {
    fn tell(&mut self) {
        let limits = measurement_limits(self).into_iter();
        (self.verdict, self.advice, self.partial) = (verdict(self), advice(self), partial(self));
        self.limits = limits.map(Limit::from).collect();
        tell(&mut self.offender);
        for (_, LoadedDirection { offender, .. }) in self.loaded_mut() {
            tell(offender);
        }
    }
}

/// The reason why the test is incomplete.
impl Tell for Recording {
    fn tell(&mut self) {
        self.partial = recording_partial(self);
    }
}

fn tell(offender: &mut Option<Offender>) {
    if let Some(offender) = offender {
        offender.evidence = evidence(offender);
    }
}

#[cfg(test)]
mod tests {
    use observation::{Heading, Incomplete};

    use super::super::example::bloated;
    use super::*;
    use crate::told::told;

    fn read(measurement: &Measurement) -> Measurement {
        serde_json::from_str(&crate::json(measurement)).unwrap()
    }

    #[test]
    fn what_was_put_in_words_is_read_as_data_and_put_in_the_same_words() {
        let limits = vec![Limit::NeverIdle { heading: Heading::Up }, Limit::Lost];
        let mut measurement = Measurement { limits: limits.clone(), ..bloated() };
        for (_, direction) in measurement.loaded_mut() {
            let seen = Some(results::Evidence::NotTheLine);
            direction.offender = Some(Offender { seen, ..Offender::default() });
        }
        let first = told(measurement);
        assert!(!first.verdict.is_empty() && !first.advice.is_empty());
        let offender = first.upload.as_ref().and_then(|upload| upload.offender.as_ref()).unwrap();
        assert!(offender.evidence.contains("was the limit"), "{offender:?}");
        let again = read(&first);
        assert_eq!(again.limits, limits);
        assert!(again.is_never_idle(Heading::Up));
        assert_eq!(told(again), first);
    }

    #[test]
    fn measurement_and_recording_tell_why_they_are_incomplete() {
        let partial_reason = Some(Incomplete::ServerClosed);
        let recording =
            Recording { partial_reason: partial_reason.clone(), ..Recording::default() };
        let measurement = Measurement { partial_reason: partial_reason.clone(), ..bloated() };
        let (recording, measurement) = (told(recording), told(measurement));
        let why = measurement.partial.as_deref().unwrap();
        assert_eq!(recording.partial.as_deref(), Some(why));
        assert!(measurement.verdict[0].text.contains(why), "{why}");
        assert_eq!(read(&measurement).partial_reason, partial_reason);
        let json = crate::json(&measurement);
        assert!(json.contains(r#""kind": "server_closed""#), "{json}");
    }
}
