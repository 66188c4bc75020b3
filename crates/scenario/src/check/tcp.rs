//! TCP: the defaults of Linux or of an earlier era, and the keys of a flow that change them.

use units::{Bytes, Rate, Span};

use super::bounds::{RATES, bounded, count, octets, within};
use crate::fault::Fault;
use crate::file::{AckFile, Era, FlowFile, Kind, Number, WindowFile};
use crate::traffic::LINUX_WINDOW;
use crate::tree::At;
use crate::{Congestion, DelayedAck, ReceiveWindow, Tcp};

/// Keys of a flow that runs over TCP.
pub(super) const KEYS: [&str; 21] = [
    "tcp",
    "congestion",
    "ledbat_target",
    "ledbat_gain",
    "mss",
    "receive_window",
    "initial_window",
    "initial_ssthresh",
    "sack",
    "timestamps",
    "window_scaling",
    "delayed_ack",
    "quick_ack",
    "hystart",
    "beta",
    "pacing",
    "offload",
    "ecn",
    "abe",
    "rack",
    "min_rto",
];

/// RFC 7323 section 2.3: the largest window that can be announced.
const LARGEST_WINDOW: Bytes = Bytes(1 << 30);
/// The same without window scaling.
const LARGEST_UNSCALED: Bytes = Bytes(65_535);

/// The longest greeting in bytes: longer than any handshake or request.
const LONGEST_GREETING: u64 = 1 << 20;

/// RFC 6817 section 2.5: INIT_CWND SHOULD be 2.
const LEDBAT_WINDOW: u32 = 2;
/// RFC 6817 section 2.5 allows 1 at most, RFC 7928 section 5.4 has 10.
const LEDBAT_GAINS: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// Checks the keys of TCP. Without any, it is Linux's.
pub(super) fn tcp(file: &FlowFile) -> Result<Tcp, Fault> {
    let mut tcp = era(file.tcp.unwrap_or(Era::Linux));
    switches(file, &mut tcp);
    ledbat(file, &mut tcp)?;
    if let Some(at) = &file.initial_window {
        tcp.initial_window = count(at, 1..=1_000)?;
    }
    if let Some(at) = &file.initial_ssthresh {
        tcp.initial_ssthresh = Some(octets(at, 1..=LARGEST_WINDOW.0)?);
    }
    if let Some(at) = &file.min_rto {
        tcp.min_rto = within(at, Span::from_millis(1)..=Span::from_secs(60))?;
    }
    match &file.mss {
        Some(at) => tcp.mss = octets(at, 64..=65_000)?,
        // An MTU of 1500 less 40 bytes for IP and TCP; timestamps would take 12 more.
        None if file.tcp != Some(Era::Reno1990) && !tcp.timestamps => tcp.mss = Bytes(1460),
        None => {}
    }
    tcp.receive_window = receive_window(file, tcp.window_scaling)?;
    if let Some(at) = &file.delayed_ack {
        tcp.delayed_ack = delayed_ack(at, tcp.receive_window)?;
    }
    let delayed = tcp.delayed_ack == DelayedAck::On;
    tcp.quick_ack = only_with(delayed, &file.quick_ack, "`quick_ack` needs `delayed_ack = true`")?;
    let cubic = tcp.congestion == Congestion::Cubic;
    tcp.hystart = only_with(cubic, &file.hystart, "`hystart` belongs to `cubic`")?;
    tcp.beta = beta(file, cubic)?;
    tcp.rack = only_with(tcp.sack, &file.rack, "`rack` needs `sack = true`")?;
    tcp.application_rate = application_rate(file)?;
    if let Some(at) = &file.greeting {
        tcp.greeting = Some(octets(at, 1..=LONGEST_GREETING)?);
    }
    Ok(tcp)
}

/// Applies the keys that are independent of others.
fn switches(file: &FlowFile, tcp: &mut Tcp) {
    tcp.congestion = file.congestion.as_ref().map_or(tcp.congestion, |at| at.value);
    tcp.sack = file.sack.unwrap_or(tcp.sack);
    tcp.timestamps = file.timestamps.unwrap_or(tcp.timestamps);
    tcp.window_scaling = file.window_scaling.unwrap_or(tcp.window_scaling);
    tcp.pacing = file.pacing.unwrap_or(tcp.pacing);
    tcp.offload = file.offload.unwrap_or(tcp.offload);
    tcp.ecn = file.ecn.unwrap_or(tcp.ecn);
    tcp.abe = file.abe.unwrap_or(tcp.abe);
}

/// RFC 6817 section 2.5: the parameters of LEDBAT, and its requirements.
fn ledbat(file: &FlowFile, tcp: &mut Tcp) -> Result<(), Fault> {
    let Some(At { value: Congestion::Ledbat, place }) = file.congestion else {
        let target = file.ledbat_target.as_ref().map(|at| ("ledbat_target", at.place));
        let foreign = target.or(file.ledbat_gain.as_ref().map(|at| ("ledbat_gain", at.place)));
        return foreign.map_or(Ok(()), |(key, place)| {
            Err(Fault::new(format!("`{key}` belongs to `ledbat`; leave it out")).at(place))
        });
    };
    if !tcp.timestamps {
        let message = "`ledbat` measures delays by timestamps; write `timestamps = true`";
        return Err(Fault::new(message).at(place));
    }
    if tcp.abe {
        let message = "`abe` (RFC 8511) is not for `ledbat`; leave out one of the two";
        return Err(Fault::new(message).at(place));
    }
    tcp.initial_window = LEDBAT_WINDOW;
    if let Some(at) = &file.ledbat_target {
        tcp.ledbat_target = within(at, Span::from_millis(1)..=Span::from_millis(100))?;
    }
    if let Some(at) = &file.ledbat_gain {
        tcp.ledbat_gain = gain(at)?;
    }
    Ok(())
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

/// The defaults of an era.
fn era(era: Era) -> Tcp {
    match era {
        Era::Linux => Tcp::default(),
        Era::Reno1990 => Tcp {
            congestion: Congestion::Reno,
            mss: Bytes(536),
            initial_window: 2,
            // RFC 2001 section 1.
            initial_ssthresh: Some(LARGEST_UNSCALED),
            sack: false,
            timestamps: false,
            window_scaling: false,
            delayed_ack: DelayedAck::Off,
            offload: false,
            // RFC 6298 section 2.4: at least one second.
            min_rto: Span::from_secs(1),
            ..Tcp::default()
        },
    }
}

/// A mechanism that is on by default where it is possible; asking for it elsewhere is an error.
fn only_with(possible: bool, at: &Option<At<bool>>, needs: &str) -> Result<bool, Fault> {
    match at {
        Some(At { value: true, place }) if !possible => {
            Err(Fault::new(format!("{needs}; leave it out")).at(*place))
        }
        Some(At { value, .. }) => Ok(*value),
        None => Ok(possible),
    }
}

/// The `beta` of CUBIC.
fn beta(file: &FlowFile, cubic: bool) -> Result<f64, Fault> {
    let Some(At { value, place }) = &file.beta else { return Ok(Tcp::default().beta) };
    if !cubic {
        return Err(Fault::new("`beta` belongs to `cubic`; leave it out").at(*place));
    }
    bounded(value.0, 0.5..=0.95).map_err(|fault| fault.at(*place))
}

fn receive_window(file: &FlowFile, window_scaling: bool) -> Result<ReceiveWindow, Fault> {
    let most = if window_scaling { LARGEST_WINDOW } else { LARGEST_UNSCALED };
    let default = ReceiveWindow::Auto { max: LINUX_WINDOW.min(most) };
    let Some(At { value, place }) = &file.receive_window else { return Ok(default) };
    let check = |bytes: Bytes| {
        let more = !window_scaling && (LARGEST_UNSCALED..=LARGEST_WINDOW).contains(&bytes);
        bounded(bytes, Bytes(1)..=most).map_err(|fault| {
            let hint = if more { ", or `window_scaling = true`" } else { "" };
            Fault::new(format!("{fault}{hint}")).at(*place)
        })
    };
    match value {
        WindowFile::Auto(_) => Ok(default),
        WindowFile::UpTo(window) => Ok(ReceiveWindow::Auto { max: check(window.auto.0)? }),
        WindowFile::Fixed(window) => Ok(ReceiveWindow::Fixed(check(window.0)?)),
    }
}

fn delayed_ack(at: &At<AckFile>, window: ReceiveWindow) -> Result<DelayedAck, Fault> {
    match at.value {
        AckFile::Delayed(true) => Ok(DelayedAck::On),
        AckFile::Delayed(false) => Ok(DelayedAck::Off),
        AckFile::PerWindow(_) if matches!(window, ReceiveWindow::Fixed(_)) => {
            Ok(DelayedAck::PerWindow)
        }
        AckFile::PerWindow(_) => {
            let message = "one ACK per window needs a window of fixed size; \
                           write `receive_window = \"64kB\"` too";
            Err(Fault::new(message).at(at.place))
        }
    }
}

/// The application's `rate`; a `cbr` has another key of that name.
fn application_rate(file: &FlowFile) -> Result<Option<Rate>, Fault> {
    let rate = file.rate.as_ref().filter(|_| matches!(file.traffic, Kind::Bulk | Kind::Transfer));
    rate.map(|at| within(at, RATES)).transpose()
}
