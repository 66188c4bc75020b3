//! Sentences beside data: what a document in JSON has for people.

use results::{Agreement, Document};

use crate::{anomaly, validity};

/// A document that has sentences beside its data.
pub trait Tell {
    /// Writes the sentences that belong to data. One without data, as in documents of earlier
    /// releases, stays.
    fn tell(&mut self);
}

/// The document with its sentences: what is written as JSON.
pub fn told<D: Tell>(mut document: D) -> D {
    document.tell();
    document
}

/// The reasons of a run that is not valid, and the notes of a replay.
impl Tell for Document {
    fn tell(&mut self) {
        if let Some(validity) = &mut self.validity {
            validity.reasons = validity::reasons(validity);
        }
        if let Some(notes) = anomaly::notes(&self.scenario) {
            self.scenario["replay"]["notes"] = notes.into();
        }
    }
}

impl Tell for Agreement {
    fn tell(&mut self) {
        self.lab.tell();
        self.sim.tell();
    }
}

#[cfg(test)]
mod tests {
    use results::{CaptureAnomaly, Soundness, Starvation, Validity};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_run_has_its_reasons_in_words() {
        let cause = Starvation::NoMemory { lost: 7, packets: 1009 };
        let verdict = Soundness::Starved;
        let validity = Validity { verdict, causes: vec![cause], ..Validity::default() };
        let lab = Document { validity: Some(validity), ..Document::default() };
        let told = told(Agreement { lab, ..Agreement::default() });
        let validity = told.lab.validity.unwrap();
        assert!(validity.reasons[0].starts_with("7 packets of 1009 were"), "{validity:?}");
        assert_eq!((validity.reasons.len(), validity.causes), (1, vec![cause]));
    }

    #[test]
    fn a_replay_has_its_notes_in_words() {
        let notes = |replay: Value| {
            let told = told(Document::new(json!({ "replay": replay })));
            told.scenario["replay"]["notes"].clone()
        };
        let anomalies = [CaptureAnomaly::SuperPackets { count: 1, pieces: 28 }];
        let said = json!(["1 super-packet cut into 28 packets, see --mtu"]);
        assert_eq!(notes(json!({ "anomalies": anomalies })), said);
        assert_eq!(notes(json!({ "anomalies": [] })), json!([]));
        // An earlier release wrote the notes alone.
        assert_eq!(notes(json!({ "notes": said })), said);
        assert_eq!(told(Document::new(json!("?"))).scenario, json!("?"));
    }
}
