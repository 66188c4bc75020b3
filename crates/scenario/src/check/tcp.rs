//! TCP: Linux's or an earlier era's ways, and what a flow changes in them.

use units::{Bytes, Rate, Span};

use super::bounds::{RATES, bounded, count, octets, within};
use crate::fault::Fault;
use crate::file::{AckFile, Era, FlowFile, Kind, WindowFile};
use crate::traffic::LINUX_WINDOW;
use crate::tree::At;
use crate::{Congestion, DelayedAck, ReceiveWindow, Tcp};

/// Keys of a flow that runs over TCP.
pub(super) const KEYS: [&str; 16] = [
    "tcp",
    "congestion",
    "mss",
    "receive_window",
    "initial_window",
    "sack",
    "timestamps",
    "window_scaling",
    "delayed_ack",
    "quick_ack",
    "hystart",
    "pacing",
    "ecn",
    "abe",
    "rack",
    "min_rto",
];

/// RFC 7323 section 2.3: the largest window that can be announced.
const LARGEST_WINDOW: Bytes = Bytes(1 << 30);
/// The same without window scaling.
const LARGEST_UNSCALED: Bytes = Bytes(65_535);

/// Checks the keys of TCP. Without any it is Linux's.
pub(super) fn tcp(file: &FlowFile) -> Result<Tcp, Fault> {
    let era = era(file.tcp.unwrap_or(Era::Linux));
    let congestion = file.congestion.unwrap_or(era.congestion);
    let sack = file.sack.unwrap_or(era.sack);
    let timestamps = file.timestamps.unwrap_or(era.timestamps);
    let window_scaling = file.window_scaling.unwrap_or(era.window_scaling);
    let receive_window = receive_window(file, window_scaling)?;
    let delayed_ack = match &file.delayed_ack {
        Some(at) => delayed_ack(at, receive_window)?,
        None => era.delayed_ack,
    };
    let default_mss = match file.tcp {
        Some(Era::Reno1990) => era.mss,
        _ if timestamps => Bytes(1448),
        _ => Bytes(1460),
    };
    let initial_window = file.initial_window.as_ref().map(|at| count(at, 1..=1_000)).transpose()?;
    let min_rto = Span::from_millis(1)..=Span::from_secs(60);
    Ok(Tcp {
        congestion,
        mss: file.mss.as_ref().map_or(Ok(default_mss), |at| octets(at, 64..=65_000))?,
        receive_window,
        initial_window: initial_window.unwrap_or(era.initial_window),
        sack,
        timestamps,
        window_scaling,
        delayed_ack,
        quick_ack: only_with(
            &file.quick_ack,
            delayed_ack == DelayedAck::On,
            "`quick_ack` needs delayed ACKs; write `delayed_ack = true` or leave it out",
        )?,
        hystart: only_with(
            &file.hystart,
            congestion == Congestion::Cubic,
            "`hystart` belongs to `cubic`; leave it out",
        )?,
        pacing: file.pacing.unwrap_or(era.pacing),
        ecn: file.ecn.unwrap_or(era.ecn),
        abe: file.abe.unwrap_or(era.abe),
        rack: only_with(&file.rack, sack, "`rack` needs `sack = true`; leave it out")?,
        min_rto: file.min_rto.as_ref().map_or(Ok(era.min_rto), |at| within(at, min_rto))?,
        application_rate: application_rate(file)?,
    })
}

/// What is so unless a key says otherwise.
fn era(era: Era) -> Tcp {
    match era {
        Era::Linux => Tcp::default(),
        Era::Reno1990 => Tcp {
            congestion: Congestion::Reno,
            mss: Bytes(536),
            initial_window: 2,
            sack: false,
            timestamps: false,
            window_scaling: false,
            delayed_ack: DelayedAck::Off,
            // RFC 6298 section 2.4: at least one second.
            min_rto: Span::from_secs(1),
            ..Tcp::default()
        },
    }
}

/// A mechanism that is on where it can be, and must not be asked for where it cannot.
fn only_with(at: &Option<At<bool>>, possible: bool, message: &str) -> Result<bool, Fault> {
    match at {
        Some(At { value: true, place }) if !possible => Err(Fault::new(message).at(*place)),
        Some(At { value, .. }) => Ok(*value),
        None => Ok(possible),
    }
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

/// What a `cbr` calls `rate` is of another kind.
fn application_rate(file: &FlowFile) -> Result<Option<Rate>, Fault> {
    let rate = file.rate.as_ref().filter(|_| matches!(file.traffic, Kind::Bulk | Kind::Transfer));
    rate.map(|at| within(at, RATES)).transpose()
}
