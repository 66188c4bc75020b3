//! The listener: takes the reports of all tasks, lets them be judged, and tells the news.

use std::net::IpAddr;
use std::sync::mpsc::Sender;

use measure::interface::Egress;
use observation::WatchedProbe;
use results::{Spike, WatchGap};
use spikes::{JudgedSpike, SpikeJudge};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{Duration, MissedTickBehavior, interval};
use units::{Span, Time};

use crate::context::{Context, Report};
use crate::heartbeat::{Towards, is_another_way};
use crate::news::{News, Ongoing};
use crate::pace::is_near;
use crate::probe::watch_hop;
use crate::route::has_route;

use super::failures::Failures;
use super::routes::{Gap, Noted, Routes};

/// The time between two looks of the judge.
const LOOK: Duration = Duration::from_millis(200);
/// The time between two judgements of a spike that is under way.
const SUSPICION: Span = Span::from_secs(1);
/// The time after which a probe is lost if the way to all targets is lost: hardly an answer takes as long, and none
/// will be heard any more.
const ON_ITS_WAY: Span = Span::from_secs(5);

/// The listener to all tasks.
pub(super) struct Listener {
    judge: SpikeJudge,
    targets: usize,
    hops: u8,
    context: Context,
    /// The addresses of the targets, as far as they are known.
    addresses: Vec<Option<IpAddr>>,
    towards: Towards,
    hop_tasks: Vec<JoinHandle<()>>,
    faster: watch::Sender<bool>,
    news: Sender<News>,
    ongoing: Option<Ongoing>,
    /// The time at which the spike that is under way was judged.
    suspected_at: Time,
    routes: Routes,
    failures: Failures,
}

impl Listener {
    pub(super) fn new(
        watched: Vec<spikes::Watched>,
        targets: usize,
        hops: u8,
        context: Context,
        towards: Towards,
        faster: watch::Sender<bool>,
        news: Sender<News>,
    ) -> Self {
        Self {
            judge: SpikeJudge::new(watched),
            targets,
            hops,
            context,
            addresses: vec![None; targets],
            towards,
            hop_tasks: Vec::new(),
            faster,
            news,
            ongoing: None,
            suspected_at: Time::ZERO,
            routes: Routes::default(),
            failures: Failures::new(targets),
        }
    }

    /// Listens until the end is asked for, or nobody wants the news any more.
    pub(super) async fn listen(
        mut self,
        mut reports: mpsc::UnboundedReceiver<Report>,
        mut end: oneshot::Receiver<()>,
    ) {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_wanted = tokio::select! {
                report = reports.recv() => match report {
                    Some(report) => self.take(report),
                    None => false,
                },
                _ = look.tick() => self.look(),
                _ = &mut end => return self.end(),
            };
            if !is_wanted {
                return;
            }
        }
    }

    /// Takes a report. Returns false if nobody wants the news.
    fn take(&mut self, report: Report) -> bool {
        let news = match report {
            Report::Awaited(index, sent) => {
                let address = self.addresses.get(index).copied().flatten();
                if self.routes.has_carrier(address) {
                    self.judge.await_answer(index, sent.at, sent.is_extra);
                }
                return true;
            }
            Report::Load(load) => {
                self.judge.take_load(load);
                return true;
            }
            Report::Wireless(is_wireless) => {
                self.judge.set_wireless(is_wireless);
                return true;
            }
            Report::Carrier { at, has_carrier, interface } => {
                let elsewhere = self.elsewhere(interface);
                let (is_lost, ended) =
                    self.routes.set_carrier(at, has_carrier, &self.addresses, elsewhere);
                // What was sent without a carrier says nothing of the path either.
                if is_lost || has_carrier {
                    self.lose_way(at);
                }
                return ended.is_none_or(|gap| self.news.send(gap.into()).is_ok());
            }
            Report::OtherLink(at) => {
                self.judge.forget_rates(at);
                return true;
            }
            Report::Detail(index, detail) => {
                self.failures.note_detail(index, detail);
                return true;
            }
            Report::TestBegin => {
                self.judge.begin_test(self.context.clock.now());
                return true;
            }
            Report::TestEnd(until) => {
                self.judge.end_test(until);
                return true;
            }
            Report::News(news) => news,
        };
        match &news {
            News::Probe(index, probe) => {
                let Noted { is_hidden, ended, .. } = self.note_routes(*index, *probe);
                let failing = self.failures.note(*index, probe.outcome);
                for news in ended.into_iter().map(News::from).chain(failing) {
                    if self.news.send(news).is_err() {
                        return false;
                    }
                }
                if is_hidden {
                    return true;
                }
                self.judge.take_probe(*index, *probe);
            }
            News::Second(second) => self.judge.take_second(*second),
            // The clock stands while the machine sleeps: the end of the sleep is its begin.
            News::Gap { reason: WatchGap::Asleep, end: at, .. } => self.break_off(*at),
            News::Change { at, change } if is_another_way(change) => self.break_off(*at),
            News::Address(index, address) => self.note_address(*index, *address),
            _ => {}
        }
        self.news.send(news).is_ok()
    }

    /// Notes what a probe says of the routes.
    fn note_routes(&mut self, index: usize, probe: WatchedProbe) -> Noted {
        let Some(address) = self.addresses.get(index) else {
            return self.routes.note_hop(probe);
        };
        let noted = self.routes.note(*address, probe, &self.addresses, has_route);
        if noted.is_lost {
            self.lose_way(probe.sent);
        }
        noted
    }

    /// The addresses of the targets that are reached by other interfaces than this one.
    fn elsewhere(&self, interface: u32) -> Vec<IpAddr> {
        let is_elsewhere =
            |it: &IpAddr| Egress::towards(*it).is_ok_and(|it| it.index() != interface);
        self.addresses.iter().flatten().copied().filter(is_elsewhere).collect()
    }

    /// Notes that the way to all targets is lost, or is back, as this shows that happened at a time.
    fn lose_way(&mut self, at: Time) {
        self.context.break_off();
        self.break_off(self.routes.lost_since().unwrap_or(at));
    }

    /// Forgets what is on its way, which says nothing of the path from this time on. What has been awaited for longer is
    /// lost, and spikes that are under way end here.
    fn break_off(&mut self, since: Time) {
        for (index, probe) in self.judge.awaited() {
            if probe.sent + ON_ITS_WAY <= since {
                self.judge.take_probe(index, probe);
                // Who does not want the news is found by the caller.
                let _ = self.news.send(News::Probe(index, probe));
            }
        }
        for spike in self.judge.break_off(since) {
            let _ = self.news.send(spike.into());
        }
    }

    /// Notes the address of a target. The hops are those on the way to the first one that is far.
    fn note_address(&mut self, index: usize, address: IpAddr) {
        let Some(place) = self.addresses.get_mut(index) else { return };
        *place = Some(address);
        let known = || self.addresses.iter().flatten().copied();
        let far = known().find(|it| !is_near(*it));
        let towards =
            far.or_else(|| known().find(|it| !it.is_loopback())).or_else(|| known().next());
        if self.towards.get() == towards {
            return;
        }
        self.towards.set(towards);
        self.hop_tasks.drain(..).for_each(|it| it.abort());
        let Some(towards) = towards else { return };
        for hop in 1..=self.hops {
            let index = self.targets + usize::from(hop) - 1;
            let task = watch_hop(self.context.clone(), index, hop, towards);
            self.hop_tasks.push(spawn_local(task));
        }
    }

    /// Tells what is still under way: no answer will be heard any more.
    fn end(mut self) {
        let now = self.context.clock.now();
        for (index, probe) in self.judge.awaited() {
            let Noted { is_hidden, ended, .. } = self.note_routes(index, probe);
            for gap in ended {
                let _ = self.news.send(gap.into());
            }
            if is_hidden {
                continue;
            }
            self.judge.take_probe(index, probe);
            // Who does not want the news does not want the end either.
            let _ = self.news.send(News::Probe(index, probe));
        }
        let spikes = self.judge.end(now).into_iter().map(News::from);
        for news in spikes.chain(self.routes.end(now).into_iter().map(News::from)) {
            let _ = self.news.send(news);
        }
    }

    /// Lets the judge look. Returns false if nobody wants the news.
    fn look(&mut self) -> bool {
        let now = self.context.clock.now();
        let mut is_wanted = true;
        for spike in self.judge.tick(now) {
            is_wanted &= self.news.send(spike.into()).is_ok();
        }
        let wants_more = self.judge.wants_more(now);
        self.faster.send_if_modified(|it| std::mem::replace(it, wants_more) != wants_more);
        let is_lasting = self.judge.is_lasting(now);
        let ongoing = self.judge.ongoing().map(|since| Ongoing {
            since,
            is_lasting,
            suspected: self.suspected(now),
        });
        if self.ongoing != ongoing {
            self.ongoing.clone_from(&ongoing);
            is_wanted &= self.news.send(News::Ongoing(ongoing)).is_ok();
        }
        is_wanted
    }

    /// The suspected spike that is under way, judged once a second.
    fn suspected(&mut self, now: Time) -> Option<Spike> {
        let before = self.ongoing.as_ref().and_then(|it| it.suspected.clone());
        if now.since(self.suspected_at) < SUSPICION {
            return before;
        }
        self.suspected_at = now;
        self.judge.suspected()
    }
}

impl From<JudgedSpike> for News {
    fn from(it: JudgedSpike) -> Self {
        Self::Spike { start: it.start, end: it.end, spike: it.spike }
    }
}

impl From<Gap> for News {
    fn from(it: Gap) -> Self {
        Self::Gap { end: it.end, duration: it.duration, reason: it.reason }
    }
}
