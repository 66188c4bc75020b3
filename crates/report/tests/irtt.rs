//! Reading files of irtt's.

use std::io::Read;

use flate2::read::GzDecoder;
use report::irtt;
use serde_json::Value;

/// 39 probes, 10 ms apart, over a line of 48 kbit/s up and 40 kbit/s down, which is not enough for
/// them; written by irtt 0.9.0.
const FILE: &[u8] = include_bytes!("files/irtt.json.gz");

fn json() -> Value {
    let mut text = String::new();
    GzDecoder::new(FILE).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The figures are compared with irtt's own in `stats`.
#[test]
fn a_file_that_irtt_wrote() {
    let (measurement, stats) = (irtt::read(FILE).unwrap(), &json()["stats"]);
    let probes = &measurement.series.unwrap().probes[0];
    assert_eq!(probes.class, "BE");
    assert_eq!(probes.at_s.len() as u64, stats["packets_sent"].as_u64().unwrap());
    let came: Vec<f64> = probes.round_trip_ms.iter().flatten().copied().collect();
    assert_eq!(came.len() as u64, stats["packets_received"].as_u64().unwrap());
    let most = came.iter().copied().fold(0.0, f64::max);
    assert_eq!(most, stats["rtt"]["max"].as_f64().unwrap() / 1e6);
    let up = probes.up_ms.iter().flatten().copied().fold(0.0, f64::max);
    let delay = &stats["send_delay"];
    let wanted = (delay["max"].as_f64().unwrap() - delay["min"].as_f64().unwrap()) / 1e6;
    assert!((up - wanted).abs() < 1e-9);
    assert_eq!(measurement.started, "2026-11-22T12:16:02.732313Z");
}

/// irtt's sums count the last three as lost on the way up, although no later answer could show it.
#[test]
fn losses_are_told_by_way() {
    let said = irtt::read(FILE).unwrap().verdict.into_iter();
    let lost = said.map(|remark| remark.text).find(|text| text.starts_with("Lost"));
    let wanted = "Lost: 11 of 39 (28 %), 6 in the upload direction, 2 in the download direction, 3 \
         in an unknown direction.";
    assert_eq!(lost.as_deref(), Some(wanted));
}

#[test]
fn what_is_wrong_is_told() {
    let changed = |pointer: &str, value: Value| {
        let mut file = json();
        *file.pointer_mut(pointer).unwrap() = value;
        irtt::read(file.to_string().as_bytes()).unwrap_err().to_string()
    };
    for (pointer, value, wrong) in [
        ("/version/json_format", 2.into(), "json_format 2 of irtt; known is 1"),
        ("/round_trips", Value::Array(Vec::new()), "no packet in its round_trips was sent"),
        ("/round_trips/3/lost", "perhaps".into(), "unknown variant `perhaps`"),
        ("/round_trips/3/delay/rtt", (-1).into(), "`round trip 3`: rtt is -1.0; plausible is"),
        ("/round_trips/3/timestamps/client", Value::Null, "expected struct"),
        ("/config", Value::Null, "invalid type: null"),
    ] {
        let message = changed(pointer, value);
        assert!(message.contains(wrong), "{message:?} does not say {wrong:?}");
    }
    let whole = json().to_string();
    let cut = irtt::read(&whole.as_bytes()[..whole.len() / 2]).unwrap_err();
    assert!(cut.message.contains("EOF") && cut.place.is_some(), "{cut}");
}
