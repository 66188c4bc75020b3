//! Files of other programs, or files that only look like them.

use report::{ForeignError, flent, irtt};
use results::Measurement;

/// Reads a file of Flent's. A file that is read can be written and read again.
pub fn flent(bytes: &[u8]) {
    if let Some(measurement) = sound(flent::read(bytes)) {
        // The written file may have no values, or only values of series that look computed: such an
        // error has no place.
        let place =
            flent::read(&flent::write(&measurement)).map_or_else(|error| error.place, |_| None);
        assert_eq!(place, None, "of what was written of {measurement:?}");
    }
}

/// Reads a file of irtt's.
pub fn irtt(bytes: &[u8]) {
    sound(irtt::read(bytes));
}

/// Checks that a file gives a document that reads back the same, without NaN in place of a number,
/// or an error with a reason.
fn sound(read: Result<Measurement, ForeignError>) -> Option<Measurement> {
    match read {
        Ok(measurement) => {
            let text = serde_json::to_string(&measurement).expect("it can be written");
            let again: Measurement = serde_json::from_str(&text).expect("it can be read");
            assert_eq!(again, measurement);
            Some(measurement)
        }
        Err(error) => {
            let message = error.to_string();
            let rude = message.chars().find(|c| c.is_control());
            assert!(rude.is_none() && !message.is_empty(), "{message:?}");
            None
        }
    }
}
