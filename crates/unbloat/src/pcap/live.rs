//! `unbloat pcap -i DEV`: the connections that pass an interface, while they do.

use std::io::ErrorKind;

use captured::{Connections, Observer, Recorder};
use kernel::{Clock, Tap};
use results::Capture;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use units::{Span, Time};
use wire::{LinkType, NonIp, Record};

use super::kept::Kept;
use super::xplot::Graphs;
use super::{connections, text};
use crate::args::PcapArgs;
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::message::note;
use crate::screen::Screen;
use crate::{interrupt, output};

/// The bytes of a packet that are copied: all headers, and the question of a DNS message.
const COPIED: usize = 256;

/// The EtherTypes of IPv4 and IPv6.
const IP: [u16; 2] = [0x0800, 0x86dd];

/// The time between two drawings of the table.
const REDRAW: Span = Span::from_secs(1);

/// Follows what passes the interface until its time is over, or until an interrupt, and prints what happened.
pub(super) fn live(device: &str, args: &PcapArgs) -> Result<(), Failure> {
    let drawings = Drawings::create(args.draw.report.as_deref(), &args.draw.plot, &[])?;
    let drawn = args.draw.files().into_iter().find_map(|(_, file)| file);
    let kept = drawn.map(|file| Kept::create(file).map_err(|error| unkept(&error))).transpose()?;
    let tap = open(device)?;
    if args.xplot.is_none() && !drawings.wanted() {
        // Nothing else needs a right.
        sandbox::drop_privileges()
            .map_err(|error| Failure::Run(format!("cannot give up rights: {error}")))?;
    }
    let mut following = Following { tap: &tap, device, connections: connections(args), kept };
    match &args.xplot {
        Some(folder) => Graphs::create(folder)?.draw(|graphs| following.follow(args, graphs))?,
        None => following.follow(args, &mut ())?,
    }
    let capture = following.document();
    if let Some(kept) = following.kept {
        draw(&capture, args, kept, drawings)?;
    }
    if !args.quiet {
        let notes = capture.anomalies.iter().map(report::capture_anomaly);
        notes.for_each(|text| note(format_args!("note: {device}: {text}")));
    }
    output::print(&text(&capture, args))
}

/// Draws the page and the picture, with the packets that were kept.
fn draw(capture: &Capture, args: &PcapArgs, kept: Kept, drawings: Drawings) -> Result<(), Failure> {
    let mut recorder = Recorder::new(capture, &report::captured_worst(capture, args.top));
    let file = kept.read().map_err(|error| unkept(&error))?;
    connections(args)
        .followed(file, || true, &mut recorder)
        .map_err(|error| Failure::Run(format!("cannot read the packets again: {error}")))?;
    drawings.write(|| report::captured_page(capture, &recorder.series()))
}

fn unkept(error: &std::io::Error) -> Failure {
    Failure::Run(format!("cannot keep the packets for the page: {error}"))
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

/// An interface, and the connections that pass it.
struct Following<'a> {
    tap: &'a Tap,
    device: &'a str,
    connections: Connections,
    /// The packets, if they are looked at once more.
    kept: Option<Kept>,
}

impl Following<'_> {
    fn document(&self) -> Capture {
        Capture { is_live: true, ..self.connections.document(self.device.to_owned()) }
    }

    /// Follows the connections that pass.
    fn follow(
        &mut self,
        args: &PcapArgs,
        observer: &mut (impl Observer + ?Sized),
    ) -> Result<(), Failure> {
        let clock = Clock::start();
        let end = args.duration.map_or(Time::from_nanos(u64::MAX), |span| Time::ZERO + span);
        let is_shown = Screen::is_there() && !args.json && !args.quiet;
        if !args.quiet && !is_shown {
            note(format_args!("following {}; Ctrl-C ends it", self.device));
        }
        let (mut screen, mut drawn) = (Screen::default(), Time::ZERO);
        while !interrupt::asked() && clock.now() < end {
            let is_idle = !self.take_all(observer)?;
            if is_shown && clock.now().since(drawn) >= REDRAW {
                drawn = clock.now();
                screen.draw(&text(&self.document(), args))?;
            }
            if is_idle {
                wait(self.tap);
            }
        }
        // What has come before the end.
        self.take_all(observer)?;
        if is_shown {
            screen.draw("")?;
        }
        Ok(())
    }

    /// Takes the packets that wait, at most some thousand. Returns false if there were none.
    fn take_all(&mut self, observer: &mut (impl Observer + ?Sized)) -> Result<bool, Failure> {
        /// The packets that are taken before the end is looked for.
        const AT_ONCE: u64 = 4096;
        let unseen = |error: std::io::Error| {
            Failure::Run(format!("cannot see what passes {}: {error}", self.device))
        };
        let mut bytes = [0; COPIED];
        let mut taken = 0;
        while taken < AT_ONCE {
            let packet = match self.tap.take(&mut bytes) {
                Ok(packet) => packet,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(unseen(error)),
            };
            taken += 1;
            // The loopback interface shows each packet when it leaves and when it comes.
            if self.device == "lo" && packet.is_outgoing {
                continue;
            }
            if !IP.contains(&packet.protocol) {
                self.connections.note_skipped(NonIp::EtherType(packet.protocol));
                continue;
            }
            let record = Record {
                number: taken,
                time: Some(kernel::wall() - packet.age),
                interface: 0,
                link_type: LinkType::RAW,
                original_len: packet.len as u64,
                data: &bytes[..packet.len],
            };
            if let Some(kept) = &mut self.kept {
                kept.take(&record).map_err(|error| unkept(&error))?;
            }
            self.connections.take(&record, observer);
        }
        self.connections.note_missed(self.tap.take_missed().map_err(unseen)?.into());
        Ok(taken > 0)
    }
}

/// Waits until a packet has come, at most a tenth of a second: what waits takes room in the kernel, which has little.
fn wait(tap: &Tap) {
    const LONGEST: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    // An interrupt ends the wait, as it should.
    let _ = poll(&mut [PollFd::new(tap, PollFlags::IN)], Some(&LONGEST));
}
