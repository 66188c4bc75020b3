//! TCP: the defaults of Linux or of an earlier era, and the keys of a flow that change them.

use transport::{AckPolicy, Config, LossDetection, ReceiveWindow, RtoFloor};
use units::{Bytes, Span};

use super::bounds::{bounded, count, octets, within};
use super::congestion::congestion;
use crate::fault::Fault;
use crate::file::{AckFile, Era, TcpFile, WindowFile};
use crate::tree::At;
use crate::{Congestion, Tcp};

/// The largest window that can be announced (RFC 7323 section 2.3).
const LARGEST_WINDOW: Bytes = Bytes(1 << 30);
/// The largest window without window scaling.
const LARGEST_UNSCALED: Bytes = Bytes(65_535);

/// The initial window of LEDBAT: INIT_CWND SHOULD be 2 (RFC 6817 section 2.5).
const LEDBAT_WINDOW: u32 = 2;

/// Checks the keys of TCP. Without any, the result is Linux's TCP.
pub(super) fn tcp(file: &TcpFile) -> Result<Tcp, Fault> {
    let mut config = era(file.tcp.unwrap_or(Era::Linux));
    switches(file, &mut config);
    let congestion = congestion(file, &config)?;
    if let Congestion::Ledbat { .. } = congestion {
        config.initial_window = LEDBAT_WINDOW;
    }
    if let Some(at) = &file.initial_window {
        config.initial_window = count(at, 1..=1_000)?;
    }
    if let Some(at) = &file.initial_ssthresh {
        config.initial_ssthresh = Some(octets(at, 1..=LARGEST_WINDOW.0)?);
    }
    if let Some(at) = &file.min_rto {
        let floor = within(at, Span::from_millis(1)..=Span::from_secs(60))?;
        config.rto_floor = RtoFloor::Variance(floor);
    }
    if let Some(at) = &file.tick {
        config.tick = Some(within(at, Span::from_millis(1)..=Span::from_millis(10))?);
    }
    match &file.mss {
        // The bound has 32 bits.
        Some(at) => config.mss = octets(at, 64..=65_000)?.0 as u32,
        // An MTU of 1500 less 40 bytes for IP and TCP; timestamps would take 12 more.
        None if file.tcp != Some(Era::Reno1990) && !config.timestamps => config.mss = 1460,
        None => {}
    }
    config.receive_window = receive_window(file, &config)?;
    config.acks = acks(file, &config)?;
    config.loss_detection = loss_detection(file, config.sack)?;
    Ok(config.with_congestion(congestion))
}

/// Applies the keys that are independent of others.
fn switches(file: &TcpFile, config: &mut Config) {
    config.sack = file.sack.unwrap_or(config.sack);
    config.timestamps = file.timestamps.unwrap_or(config.timestamps);
    config.window_scaling = file.window_scaling.unwrap_or(config.window_scaling);
    config.pacing = file.pacing.unwrap_or(config.pacing);
    config.offload = file.offload.unwrap_or(config.offload);
    config.ecn = file.ecn.unwrap_or(config.ecn);
    config.abe = file.abe.unwrap_or(config.abe);
}

/// The defaults of an era, without its congestion control.
fn era(era: Era) -> Config {
    match era {
        Era::Linux => Config::default(),
        Era::Reno1990 => Config {
            mss: 536,
            initial_window: 2,
            // RFC 2001 section 1.
            initial_ssthresh: Some(LARGEST_UNSCALED),
            sack: false,
            timestamps: false,
            window_scaling: false,
            acks: AckPolicy::EverySegment,
            offload: false,
            // RFC 6298 section 2.4: at least one second.
            rto_floor: RtoFloor::Variance(Span::from_secs(1)),
            ..Config::default()
        },
    }
}

/// The value of a switch that is on by default where its mechanism is possible. Requesting it
/// elsewhere is an error.
fn only_with(possible: bool, at: &Option<At<bool>>, needs: &str) -> Result<bool, Fault> {
    match at {
        Some(At { value: true, place }) if !possible => {
            Err(Fault::new(format!("{needs}; leave it out")).at(*place))
        }
        Some(At { value, .. }) => Ok(*value),
        None => Ok(possible),
    }
}

fn receive_window(file: &TcpFile, config: &Config) -> Result<ReceiveWindow, Fault> {
    let window_scaling = config.window_scaling;
    let most = if window_scaling { LARGEST_WINDOW } else { LARGEST_UNSCALED };
    let (ReceiveWindow::Auto { max: usual } | ReceiveWindow::Fixed(usual)) = config.receive_window;
    let default = ReceiveWindow::Auto { max: usual.min(most) };
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

/// The acknowledgement policy, by `delayed_ack` and `quick_ack`.
fn acks(file: &TcpFile, config: &Config) -> Result<AckPolicy, Fault> {
    let policy = match &file.delayed_ack {
        Some(at) => delayed_ack(at, config.receive_window)?,
        None => config.acks,
    };
    let delays = matches!(policy, AckPolicy::Delayed { .. });
    let quick_start = only_with(delays, &file.quick_ack, "`quick_ack` needs `delayed_ack = true`")?;
    Ok(if delays { AckPolicy::Delayed { quick_start } } else { policy })
}

fn delayed_ack(at: &At<AckFile>, window: ReceiveWindow) -> Result<AckPolicy, Fault> {
    match at.value {
        AckFile::Delayed(true) => Ok(AckPolicy::Delayed { quick_start: true }),
        AckFile::Delayed(false) => Ok(AckPolicy::EverySegment),
        AckFile::PerWindow(_) if matches!(window, ReceiveWindow::Fixed(_)) => {
            Ok(AckPolicy::OncePerWindow)
        }
        AckFile::PerWindow(_) => {
            let message = "one ACK per window needs a window of fixed size; \
                           write `receive_window = \"64kB\"` too";
            Err(Fault::new(message).at(at.place))
        }
    }
}

/// The loss detection, by `sack` and `rack`.
fn loss_detection(file: &TcpFile, sack: bool) -> Result<LossDetection, Fault> {
    let rack = only_with(sack, &file.rack, "`rack` needs `sack = true`")?;
    Ok(match (sack, rack) {
        (true, true) => LossDetection::RackTlp,
        (true, false) => LossDetection::Scoreboard,
        (false, _) => LossDetection::DuplicateAcks,
    })
}
