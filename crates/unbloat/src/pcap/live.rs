//! `unbloat pcap -i DEV`: the connections that pass an interface, while they do.

use std::io::ErrorKind;

use captured::{Connections, Observer};
use kernel::{Clock, Tap};
use results::Capture;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use units::{Span, Time};
use wire::{LinkType, Record};

use super::text;
use super::xplot::Graphs;
use crate::args::PcapArgs;
use crate::failure::Failure;
use crate::message::note;
use crate::screen::Screen;
use crate::{interrupt, output};

/// The bytes of a packet that are copied: all headers, and the question of a DNS message.
const COPIED: usize = 256;

/// The time between two drawings of the table.
const REDRAW: Span = Span::from_secs(1);

/// Follows what passes the interface until its time is over, or until an interrupt, and prints what happened.
pub(super) fn live(device: &str, args: &PcapArgs) -> Result<(), Failure> {
    let tap = open(device)?;
    let capture = match &args.xplot {
        Some(folder) => {
            Graphs::create(folder)?.draw(|graphs| follow(&tap, device, args, graphs))?
        }
        None => {
            // Nothing else needs a right.
            sandbox::drop_privileges()
                .map_err(|error| Failure::Run(format!("cannot give up rights: {error}")))?;
            follow(&tap, device, args, &mut ())?
        }
    };
    output::print(&text(&capture, args))
}

/// Opens a tap on the interface.
fn open(device: &str) -> Result<Tap, Failure> {
    let devices = kernel::devices()
        .map_err(|error| Failure::Run(format!("cannot read the interfaces: {error}")))?;
    let found = devices.iter().find(|(_, name)| name == device);
    let Some((index, _)) = found else {
        let names: Vec<&str> = devices.iter().map(|(_, name)| &**name).collect();
        return Err(Failure::Input(format!(
            "-i {device}: there is no such interface; there are {}",
            names.join(", ")
        )));
    };
    Tap::open_all(*index, COPIED as u32).map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => Failure::Run(format!(
            "seeing what passes {device} needs CAP_NET_RAW: use `sudo unbloat pcap -i {device}`, or give the \
             program that right alone (`sudo setcap cap_net_raw+ep $(command -v unbloat)`); a capture of \
             somebody else is read without rights"
        )),
        _ => Failure::Run(format!("cannot see what passes {device}: {error}")),
    })
}

/// Follows the connections that pass.
fn follow(
    tap: &Tap,
    device: &str,
    args: &PcapArgs,
    observer: &mut (impl Observer + ?Sized),
) -> Result<Capture, Failure> {
    let clock = Clock::start();
    let end = args.duration.map_or(Time::from_nanos(u64::MAX), |span| Time::ZERO + span);
    let is_shown = Screen::is_there() && !args.json && !args.quiet;
    if !args.quiet && !is_shown {
        note(format_args!("following {device}; Ctrl-C ends it"));
    }
    let (mut connections, mut screen) = (Connections::default(), Screen::default());
    let mut drawn = Time::ZERO;
    while !interrupt::asked() && clock.now() < end {
        let is_idle = !take_all(tap, device, &mut connections, observer)?;
        if is_shown && clock.now().since(drawn) >= REDRAW {
            drawn = clock.now();
            screen.draw(&text(&connections.document(device.to_owned()), args))?;
        }
        if is_idle {
            wait(tap);
        }
    }
    // What has come before the end.
    take_all(tap, device, &mut connections, observer)?;
    if is_shown {
        screen.draw("")?;
    }
    Ok(connections.document(device.to_owned()))
}

/// Takes the packets that wait, at most some thousand. Returns false if there were none.
fn take_all(
    tap: &Tap,
    device: &str,
    connections: &mut Connections,
    observer: &mut (impl Observer + ?Sized),
) -> Result<bool, Failure> {
    /// The packets that are taken before the end is looked for.
    const AT_ONCE: u64 = 4096;
    let mut bytes = [0; COPIED];
    for taken in 0..AT_ONCE {
        let packet = match tap.take(&mut bytes) {
            Ok(packet) => packet,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(taken > 0),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(Failure::Run(format!("cannot see what passes {device}: {error}")));
            }
        };
        // The loopback interface shows each packet when it leaves and when it comes.
        if device == "lo" && packet.is_outgoing {
            continue;
        }
        connections.take(
            &Record {
                number: taken,
                time: Some(kernel::wall() - packet.age),
                link_type: LinkType::RAW,
                original_len: packet.len as u64,
                data: &bytes[..packet.len],
            },
            observer,
        );
    }
    Ok(true)
}

/// Waits until a packet has come, at most a tenth of a second: what waits takes room in the kernel, which has little.
fn wait(tap: &Tap) {
    const LONGEST: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    // An interrupt ends the wait, as it should.
    let _ = poll(&mut [PollFd::new(tap, PollFlags::IN)], Some(&LONGEST));
}
