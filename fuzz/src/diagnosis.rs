//! The diagnosis of arbitrary observations: no panic, and every figure is a number.

use std::net::{IpAddr, Ipv4Addr};

use observation::{
    Ended, ForeignProbe, Heading, HopAnswer, HopProbe, HostSample, Load, LoadFlow, Observations,
    PageLoad, Probe, ProbeStream, Receipt, SenderSample, ServerSample, Stage, Wireless,
};
use units::{Bytes, Rate, Span, Time};

/// Diagnoses observations made from events of sixteen bytes each: kind, details, the time since the
/// previous event, and a number.
pub fn diagnosis(bytes: &[u8]) {
    let mut builder = Builder::default();
    let (events, _) = bytes.as_chunks::<16>();
    for event in events {
        builder.add(event);
    }
    let found = diagnose::diagnose(&builder.observations);
    let text = format!("{found:?}");
    // No word of a measurement contains these letters in this order.
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[derive(Default)]
struct Builder {
    observations: Observations,
    now: Time,
    /// The nanoseconds by which the server's clock is ahead.
    ahead: u64,
}

impl Builder {
    fn add(&mut self, event: &[u8; 16]) {
        let [what, how, ..] = *event;
        let later = u32::from_be_bytes([0, 0, event[2], event[3]]);
        let small = u32::from_be_bytes([event[4], event[5], event[6], event[7]]);
        let number = u64::from_be_bytes([8, 9, 10, 11, 12, 13, 14, 15].map(|at| event[at]));
        self.now += Span::from_micros(u64::from(later) << (what >> 5));
        match what & 15 {
            0 => self.ahead = number,
            1 => self.now = Time::from_nanos(number),
            2 => self.stage(how, small),
            3..=8 => self.probe(how, small, number),
            9 => self.flow(how, number),
            10 => self.receipt(how, small, number),
            11 => self.sample(how, small, number),
            12 => self.host(how, small, number),
            13 => self.hop(how, small),
            _ => self.other(how, number),
        }
    }

    fn theirs(&self, time: Time) -> Time {
        Time::from_nanos(time.as_nanos().wrapping_add(self.ahead))
    }

    fn stage(&mut self, how: u8, micros: u32) {
        let heading = heading(how);
        let load = match how >> 1 & 7 {
            0 | 1 => Load::Idle,
            2 | 3 => Load::One(heading),
            4 => Load::Small(heading),
            5 | 6 => Load::Both,
            _ => Load::Drain,
        };
        let ended = [Ended::Planned, Ended::Settled, Ended::StillGrowing, Ended::Interrupted];
        let ended = ended.get(usize::from(how >> 4)).copied().unwrap_or(Ended::Lost);
        let end = self.now + Span::from_micros(micros.into());
        self.observations.stages.push(Stage { load, start: self.now, end, ended });
    }

    fn probe(&mut self, how: u8, micros: u32, number: u64) {
        let streams = &mut self.observations.probes;
        let index = usize::from(how >> 6 & 1);
        while streams.len() <= index {
            let dscp = streams.len() as u8 * 46;
            streams.push(ProbeStream { dscp, bytes: Bytes(84), probes: Vec::new() });
        }
        let up = Span::from_micros((micros >> 16).into());
        let down = Span::from_micros((micros & 0xffff).into());
        let reached = self.now + up;
        let returned = if how & 16 == 0 { reached + down } else { Time::from_nanos(number) };
        let probe = Probe {
            sent: self.now,
            departed: (how & 32 != 0).then(|| Time::from_nanos(number)),
            reached: (how & 1 == 0).then(|| self.theirs(reached)),
            answered: (how & 2 == 0).then(|| self.theirs(reached)),
            returned: (how & 12 != 12).then_some(returned),
        };
        self.observations.probes[index].probes.push(probe);
    }

    fn flow(&mut self, how: u8, number: u64) {
        self.observations.flows.push(LoadFlow {
            heading: heading(how),
            dscp: how >> 2,
            congestion: if how & 2 == 0 { "cubic" } else { "bbr" }.to_owned(),
            start: self.now,
            stop: self.now + Span::from_nanos(number),
            received: Vec::new(),
            sender: Vec::new(),
        });
    }

    fn receipt(&mut self, how: u8, small: u32, number: u64) {
        let at = if how & 1 == 0 { self.now } else { self.theirs(self.now) };
        let receipt = Receipt {
            at,
            bytes: Bytes(number),
            segments: (how & 2 == 0).then_some(u64::from(small)),
        };
        let flow = self.flow_of(how);
        flow.into_iter().for_each(|flow| flow.received.push(receipt));
    }

    fn sample(&mut self, how: u8, small: u32, number: u64) {
        let at = if how & 1 == 0 { self.now } else { self.theirs(self.now) };
        let sample = SenderSample {
            at,
            srtt: (how & 2 == 0).then(|| Span::from_micros(small.into())),
            min_rtt: (how & 4 == 0).then(|| Span::from_micros((small / 2).into())),
            cwnd: small,
            mss: small >> 20,
            acknowledged: Bytes(number),
            sent: number >> 8,
            retransmitted: number >> 40,
            heard: number >> 9,
            delivered: number >> 20,
            busy: Span::from_nanos(number),
            receiver_limited: Span::from_nanos(number >> 1),
            buffer_limited: Span::from_nanos(number >> 2),
            program_limited: Span::from_nanos(number >> 3),
            delivery_rate: None,
        };
        let flow = self.flow_of(how);
        flow.into_iter().for_each(|flow| flow.sender.push(sample));
    }

    fn flow_of(&mut self, how: u8) -> Option<&mut LoadFlow> {
        let flows = &mut self.observations.flows;
        let index = usize::from(how >> 4).checked_rem(flows.len())?;
        flows.get_mut(index)
    }

    fn host(&mut self, how: u8, small: u32, number: u64) {
        let part = (how & 1 == 0).then(|| f64::from_bits(number));
        self.observations.host.push(HostSample {
            at: self.now,
            busy: part,
            busiest: part,
            own: part,
            lateness: Span::from_micros(small.into()),
            backlog: Some(Bytes(number)),
            drops: Some(number),
            wireless: (how & 2 != 0).then(|| Wireless {
                sends: Rate::from_bits_per_sec(number),
                receives: Rate::from_bits_per_sec(small.into()),
                signal: Some(how.cast_signed()),
            }),
        });
    }

    fn server(&mut self, how: u8, number: u64) {
        let part = (how & 8 == 0).then(|| f64::from_bits(number));
        let at = self.theirs(self.now);
        self.observations.server.push(ServerSample { at, busiest: part, own: part });
    }

    fn page(&mut self, how: u8, number: u64) {
        let pages = self.observations.pages.get_or_insert_default();
        let took = (how & 8 == 0).then_some(Span::from_nanos(number));
        pages.loads.push(PageLoad { at: self.now, took });
    }

    fn hop(&mut self, how: u8, micros: u32) {
        let at = self.now + Span::from_micros(micros.into());
        let from = IpAddr::V4(Ipv4Addr::new(10, 0, 0, how));
        let answer = HopAnswer { from, at, is_server: how & 64 != 0 };
        let answer = (how & 128 == 0).then_some(answer);
        self.observations.hops.push(HopProbe { hop: how & 31, sent: self.now, answer });
    }

    fn other(&mut self, how: u8, number: u64) {
        let seen = &mut self.observations;
        match how & 7 {
            0 => seen.ipv6 = true,
            1 => seen.other_tests = how.into(),
            2 => seen.rebinds.push(self.now),
            3 => seen.voice = seen.probes.pop(),
            4 => self.server(how, number),
            5 => self.page(how, number),
            _ => seen.foreign.push(ForeignProbe {
                at: self.now,
                connect: Span::from_nanos(number),
                exchange: Span::from_nanos(number >> 7),
            }),
        }
    }
}

fn heading(how: u8) -> Heading {
    if how & 1 == 0 { Heading::Up } else { Heading::Down }
}
