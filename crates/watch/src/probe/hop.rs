//! A hop on the way to a target: pings whose time to live ends there. A router that answers pings to
//! itself is asked so, since routers limit the errors that they send (`icmp_ratelimit`, icmp(7)).

use std::net::IpAddr;

use units::{Span, Time};

use crate::asker::{Asker, Heard};
use crate::context::{Context, Report};
use crate::exchange::Ping;
use crate::news::News;
use crate::pace::{Pace, Slots};

/// The time after which a router's address is asked for again.
const FRESH: Span = Span::from_secs(60);
/// The pings to a router itself after which it is judged whether it answers them.
const TRIALS: u32 = 5;
/// The time between two looks at what is missing.
const LOOK: Span = Span::from_millis(500);
/// The time between two attempts to open a socket.
const AGAIN: Span = Span::from_secs(1);
/// The time after which a router that did not answer pings to itself is tried again.
const LATER: Span = Span::from_secs(3600);

/// The watch of a hop.
struct Hop {
    context: Context,
    index: usize,
    identifier: u16,
    /// Pings that end at the hop.
    ending: Asker<Ping>,
    router: Option<Router>,
    /// When the router's address was asked for.
    asked: Time,
    /// True once the target itself has answered a ping that should have ended before.
    is_target: bool,
}

/// A router, and whether it answers pings to itself.
struct Router {
    address: IpAddr,
    pings: Asker<Ping>,
    sent: u32,
    answered: u32,
    /// When it was found not to answer; `None` if it does, or is on trial.
    silent: Option<Time>,
}

/// Probes the hop with this number on the way to an address, until the address itself answers there.
pub(crate) async fn watch_hop(context: Context, index: usize, hop: u8, towards: IpAddr) {
    let identifier = (context.seed as u16).wrapping_add(index as u16);
    loop {
        let ping = Ping::new(towards, identifier).ending_at(hop);
        let Ok(ending) = Asker::new(ping, context.clone()) else {
            // There is no way to the address for the moment.
            context.until(context.clock.now() + AGAIN).await;
            continue;
        };
        let (context, router) = (context.clone(), None);
        let asked = Time::ZERO;
        let mut it = Hop { context, index, identifier, ending, router, asked, is_target: false };
        it.run().await;
        if it.is_target {
            return;
        }
    }
}

impl Hop {
    /// Probes until the target answers, or observation is broken off.
    async fn run(&mut self) {
        let breaks = self.context.breaks();
        let mut fast = self.context.fast.clone();
        let start = self.context.clock.now();
        let mut slots = Slots::new(start, self.pace(), self.index, self.context.seed);
        let mut due = slots.due(start, self.pace().usual);
        let mut look = start + LOOK;
        while !self.is_target && self.context.breaks() == breaks {
            tokio::select! {
                () = self.context.until(due.min(look)) => {}
                () = self.ending.wait() => {}
                () = wait(self.router.as_ref()) => {}
                _ = fast.changed() => due = slots.due(self.context.clock.now(), self.every()),
            }
            let now = self.context.clock.now();
            let is_look = now >= look;
            if is_look {
                look = now + LOOK;
            }
            self.hear(now, is_look);
            if now >= due {
                self.ask(now, slots.take(now));
                due = slots.due(now, self.every());
            }
        }
    }

    fn answers_itself(&self) -> bool {
        self.router.as_ref().is_some_and(|it| it.silent.is_none() && it.answered > 0)
    }

    fn pace(&self) -> Pace {
        if self.answers_itself() { Pace::near() } else { Pace::of_errors() }
    }

    fn every(&self) -> Span {
        let pace = self.pace();
        if *self.context.fast.borrow() { pace.fast } else { pace.usual }
    }

    fn ask(&mut self, now: Time, is_extra: bool) {
        let is_ending = !self.answers_itself() || now.since(self.asked) > FRESH;
        let mut heard = Vec::new();
        if is_ending {
            self.asked = now;
            heard.extend(self.ending.ask(is_extra));
        }
        if let Some(router) = &mut self.router
            && router.may_be_asked(now)
        {
            router.sent += 1;
            let failed = router.pings.ask(is_extra);
            if !is_ending {
                heard.extend(failed);
            }
        }
        self.tell(heard);
    }

    fn hear(&mut self, now: Time, is_look: bool) {
        let answers_itself = self.answers_itself();
        let (mut ending, mut direct) = (Vec::new(), Vec::new());
        self.ending.hear(&mut ending);
        if is_look && !answers_itself {
            self.ending.expire(self.index, &mut ending);
        }
        let is_of_target = |it: &Heard| it.router.is_none() && it.outcome.round_trip().is_some();
        self.is_target = ending.iter().any(is_of_target);
        ending.retain(|it| !is_of_target(it));
        let found = ending.iter().filter_map(|it| it.router).next_back();
        if let Some(router) = &mut self.router {
            router.hear(now, &mut direct);
            if is_look && answers_itself {
                router.pings.expire(self.index, &mut direct);
            }
        }
        self.tell(if answers_itself { direct } else { ending });
        if let Some(address) = found {
            self.note_router(address);
        }
    }

    /// Notes the router that has answered.
    fn note_router(&mut self, address: IpAddr) {
        if self.router.as_ref().is_some_and(|it| it.address == address) {
            return;
        }
        self.context.report(Report::News(News::Address(self.index, address)));
        // Another identifier than that of the pings that end there.
        let ping = Ping::new(address, self.identifier.wrapping_add(0x4000));
        let pings = Asker::new(ping, self.context.clone());
        self.router =
            pings.ok().map(|pings| Router { address, pings, sent: 0, answered: 0, silent: None });
    }

    fn tell(&self, heard: Vec<Heard>) {
        for it in heard {
            self.context.tell(self.index, it.sent, it.outcome);
        }
    }
}

impl Router {
    fn may_be_asked(&self, now: Time) -> bool {
        self.silent.is_none_or(|since| now.since(since) > LATER)
    }

    fn hear(&mut self, now: Time, heard: &mut Vec<Heard>) {
        let before = heard.len();
        self.pings.hear(heard);
        let answers = heard[before..].iter().filter(|it| it.outcome.round_trip().is_some()).count();
        self.answered += answers as u32;
        match () {
            () if answers > 0 => self.silent = None,
            () if self.sent >= TRIALS && self.answered == 0 => {
                (self.silent, self.sent) = (Some(now), 0);
            }
            () => {}
        }
    }
}

/// Waits until the router can be heard; for ever without one.
async fn wait(router: Option<&Router>) {
    match router {
        Some(router) => router.pings.wait().await,
        None => std::future::pending().await,
    }
}
