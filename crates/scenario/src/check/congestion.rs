//! Congestion controls: the keys of each, and its requirements.

use std::ops::RangeInclusive;

use transport::Config;
use units::Span;

use super::bounds::{bounded, within};
use crate::Congestion;
use crate::fault::Fault;
use crate::file::{CongestionFile, Era, Number, TcpFile};
use crate::source::Place;
use crate::tree::At;

/// The default of `beta` (RFC 9438 section 4.6).
const CUBIC_BETA: f64 = 0.7;
/// The bounds of LEDBAT's target; the upper one is the default (RFC 6817 section 2.5).
const LEDBAT_TARGETS: RangeInclusive<Span> = Span::from_millis(1)..=Span::from_millis(100);
/// The bounds of LEDBAT's gain. RFC 6817 section 2.5 allows 1 at most, which is the default; RFC
/// 7928 section 5.4 has 10.
const LEDBAT_GAINS: RangeInclusive<f64> = 0.01..=100.0;

/// The congestion control that the file names, or that of its era. `config` has the other settings
/// of the connection.
pub(super) fn congestion(file: &TcpFile, config: &Config) -> Result<Congestion, Fault> {
    let word = match (&file.congestion, file.tcp) {
        (Some(at), _) => at.value,
        (None, Some(Era::Reno1990)) => CongestionFile::Reno,
        (None, Some(Era::Linux) | None) => CongestionFile::Cubic,
    };
    if word != CongestionFile::Ledbat {
        let target = file.ledbat_target.as_ref().map(|at| at.place);
        belongs_to("ledbat_target", "ledbat", target)?;
        belongs_to("ledbat_gain", "ledbat", file.ledbat_gain.as_ref().map(|at| at.place))?;
    }
    if word != CongestionFile::Cubic {
        // `false` is what the others do.
        let asked = file.hystart.as_ref().filter(|at| at.value);
        belongs_to("hystart", "cubic", asked.map(|at| at.place))?;
        belongs_to("beta", "cubic", file.beta.as_ref().map(|at| at.place))?;
        belongs_to("tick", "cubic", file.tick.as_ref().map(|at| at.place))?;
    }
    match word {
        CongestionFile::Cubic => cubic(file),
        CongestionFile::Reno => Ok(Congestion::Reno),
        CongestionFile::Ledbat => ledbat(file, config),
        CongestionFile::Bbr => Ok(Congestion::Bbr),
    }
}

/// An error if `key`, of the congestion control `owner`, was written, at `place`.
fn belongs_to(key: &str, owner: &str, place: Option<Place>) -> Result<(), Fault> {
    place.map_or(Ok(()), |place| {
        Err(Fault::new(format!("`{key}` belongs to `{owner}`; leave it out")).at(place))
    })
}

fn cubic(file: &TcpFile) -> Result<Congestion, Fault> {
    let beta = file.beta.as_ref().map_or(Ok(CUBIC_BETA), |at| {
        bounded(at.value.0, 0.5..=0.95).map_err(|fault| fault.at(at.place))
    })?;
    Ok(Congestion::Cubic { hystart: file.hystart.as_ref().is_none_or(|at| at.value), beta })
}

/// The parameters of LEDBAT, and its requirements (RFC 6817 section 2.5).
fn ledbat(file: &TcpFile, config: &Config) -> Result<Congestion, Fault> {
    let place = file.congestion.as_ref().map(|at| at.place).unwrap_or_default();
    if !config.timestamps {
        let message = "`ledbat` measures delays by timestamps; write `timestamps = true`";
        return Err(Fault::new(message).at(place));
    }
    if config.abe {
        let message = "`abe` (RFC 8511) is not for `ledbat`; leave out one of the two";
        return Err(Fault::new(message).at(place));
    }
    let target = file.ledbat_target.as_ref();
    let target = target.map_or(Ok(*LEDBAT_TARGETS.end()), |at| within(at, LEDBAT_TARGETS))?;
    let gain = file.ledbat_gain.as_ref().map_or(Ok(1.0), gain)?;
    Ok(Congestion::Ledbat { target, gain })
}

fn gain(at: &At<Number>) -> Result<f64, Fault> {
    let gain = at.value.0;
    if LEDBAT_GAINS.contains(&gain) {
        return Ok(gain);
    }
    let (least, most) = (LEDBAT_GAINS.start(), LEDBAT_GAINS.end());
    let message = format!("a gain of {gain}; write {least} to {most}, in RFC 6817 it is at most 1");
    Err(Fault::new(message).at(at.place))
}
