//! A call beside the load: the delay of its frames, their jitter, and their loss.
//!
//! A frame goes to the server and back, as large and as often as those of G.711. The way down
//! begins when the frame reached the server, so that delay on the way up is not part of it; a frame
//! that was lost on the way up was never sent down.
//!
//! Specification: RFC 3550 section 6.4.1 for the jitter, ITU-T G.107 for the opinion.

use observation::Heading;
use results::{Call, CallDirection, LoadedDirection, Measurement, e_model};
use stats::Jitter;
use units::Span;

use crate::passage::{Passage, Passages};
use crate::series::class_name;
use crate::spread::Weighted;
use crate::view::View;
use crate::window::Window;

/// The duration of the speech in one frame, in seconds (RFC 3551 section 4.2).
const FRAME: f64 = 0.02;

/// The call during the stage that loaded both directions, or else during those that loaded each;
/// `None` if there was no call, or no load.
pub(crate) fn call(view: &View<'_>, found: &Measurement) -> Option<Call> {
    let stream = view.seen.voice.as_ref()?;
    let passages = Passages::new(stream, &view.clock);
    let half = view.clock.least_round_trip()? / 2.0;
    let of = |heading, loaded: Option<&LoadedDirection>| {
        let [from, to] = loaded?.window_s;
        Some(direction(passages.heading(heading), &Window { from, to }, half))
    };
    let both = found.both.as_ref();
    let download = both.map(|both| &both.download).or(found.download.as_ref());
    let upload = both.map(|both| &both.upload).or(found.upload.as_ref());
    let (download, upload) = (of(Heading::Down, download), of(Heading::Up, upload));
    (download.is_some() || upload.is_some()).then(|| Call {
        class: class_name(stream.dscp),
        download: download.unwrap_or_default(),
        upload: upload.unwrap_or_default(),
    })
}

/// A direction of the call. Without a queue, its frames take `half` seconds.
fn direction(passages: &[Passage], window: &Window, half: f64) -> CallDirection {
    let waits = window.waits(passages);
    let delays = Weighted::evenly(waits.iter().map(|(_, wait)| half + wait));
    let loss = window.loss(passages);
    let heard = |part| Some(Span::from_secs_f64(FRAME + delays.quantile(part)?));
    CallDirection {
        delay_ms: delays.delay(),
        jitter_ms: jitter(passages, window).delay(),
        loss,
        mos: delays.max().map(|_| e_model::score(loss.unwrap_or(0.0), heard)),
    }
}

/// The jitter after each frame of the window, in seconds.
fn jitter(passages: &[Passage], window: &Window) -> Weighted {
    let mut delivered: Vec<(f64, f64)> =
        passages.iter().filter_map(|passage| Some((passage.at, passage.wait()?))).collect();
    delivered.sort_by(|one, other| (one.0 + one.1).total_cmp(&(other.0 + other.1)));
    let mut jitter = Jitter::default();
    let after = delivered.into_iter().map(|(at, wait)| (at, jitter.record(wait)));
    let within = after.filter(|(at, _)| (window.from..window.to).contains(at));
    Weighted::evenly(within.map(|(_, jitter)| jitter))
}

#[cfg(test)]
mod tests {
    use observation::{Observations, Probe, ProbeStream};

    use super::*;
    use crate::passage::Fate;

    const WINDOW: Window = Window { from: 2.0, to: 8.0 };

    /// A frame each 20 ms, with this fate.
    fn frames(fate: impl Fn(u32) -> Fate) -> Vec<Passage> {
        (0..500).map(|frame| Passage { at: f64::from(frame) / 50.0, fate: fate(frame) }).collect()
    }

    #[test]
    fn a_queue_that_stands_is_delay_and_no_jitter() {
        let found = direction(&frames(|_| Fate::Waited(0.1)), &WINDOW, 0.01);
        assert!(found.delay_ms.p50.is_some_and(|p50| (p50 - 110.0).abs() < 1e-9), "{found:?}");
        assert_eq!((found.jitter_ms.max, found.loss), (Some(0.0), Some(0.0)));
        let steady = |_| Some(Span::from_millis(130));
        assert_eq!(found.mos, Some(e_model::score(0.0, steady)));
    }

    #[test]
    fn what_is_lost_is_neither() {
        let every_tenth = |frame: u32| match frame % 10 {
            0 => Fate::Lost,
            odd if odd % 2 == 1 => Fate::Waited(0.008),
            _ => Fate::Waited(0.0),
        };
        let found = direction(&frames(every_tenth), &WINDOW, 0.01);
        assert!(found.loss.is_some_and(|loss| (loss - 0.1).abs() < 1e-9), "{found:?}");
        // Frames 9 and 1 of two tens come one after the other, and are equally late.
        assert!(found.jitter_ms.p50.is_some_and(|p50| p50 > 6.0 && p50 < 8.0), "{found:?}");
    }

    /// A test may load one direction only.
    #[test]
    fn a_call_is_told_beside_whichever_load_there_was() {
        let at = |millis: u64| Some(units::Time::from_millis(millis));
        let probe = |frame: u64| Probe {
            sent: units::Time::from_millis(20 * frame),
            reached: at(20 * frame + 5),
            answered: at(20 * frame + 5),
            returned: at(20 * frame + 10),
            ..Probe::default()
        };
        let stream =
            ProbeStream { probes: (0..500).map(probe).collect(), ..ProbeStream::default() };
        let seen = Observations {
            probes: vec![stream.clone()],
            voice: Some(stream),
            ..Observations::default()
        };
        let view = View::new(&seen);
        assert_eq!(call(&view, &Measurement::default()), None);
        let loaded = || Some(LoadedDirection { window_s: [2.0, 8.0], ..Default::default() });
        let of = |download, upload| {
            let found = Measurement { download, upload, ..Measurement::default() };
            let call = call(&view, &found).expect("something was loaded");
            [call.download, call.upload].map(|way| way.delay_ms.p50.is_some())
        };
        assert_eq!(of(loaded(), None), [true, false]);
        assert_eq!(of(None, loaded()), [false, true]);
        assert_eq!(of(loaded(), loaded()), [true, true]);
    }

    #[test]
    fn what_never_came_has_no_figures() {
        let found = direction(&frames(|_| Fate::Unknown), &WINDOW, 0.01);
        assert_eq!(found, CallDirection::default());
    }
}
