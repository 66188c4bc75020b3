//! The measurement with all sentences, as JSON has it beside the data.

use results::{Limit, LoadedDirection, Measurement, Offender};

use super::evidence::evidence;
use super::limits::measurement_limits;
use super::remarks::{advice, verdict};

/// The measurement with its verdict, advice, limits and evidence in words. Data that was there
/// stays; a sentence that belongs to data is written anew, and one of a document that has no such
/// data is kept.
pub fn told(measurement: &Measurement) -> Measurement {
    let limits = measurement_limits(measurement).into_iter();
    let mut told = Measurement {
        verdict: verdict(measurement),
        advice: advice(measurement),
        limits: limits.map(Limit::from).collect(),
        ..measurement.clone()
    };
    tell(&mut told.offender);
    for (_, LoadedDirection { offender, .. }) in told.loaded_mut() {
        tell(offender);
    }
    told
}

fn tell(offender: &mut Option<Offender>) {
    if let Some(offender) = offender {
        offender.evidence = evidence(offender);
    }
}

#[cfg(test)]
mod tests {
    use observation::Heading;

    use super::super::example::bloated;
    use super::*;

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
        let first = told(&measurement);
        assert!(!first.verdict.is_empty() && !first.advice.is_empty());
        let offender = first.upload.as_ref().and_then(|upload| upload.offender.as_ref()).unwrap();
        assert!(offender.evidence.contains("was the limit"), "{offender:?}");
        let again = read(&first);
        assert_eq!(again.limits, limits);
        assert!(again.is_never_idle(Heading::Up));
        assert_eq!(told(&again), first);
    }
}
