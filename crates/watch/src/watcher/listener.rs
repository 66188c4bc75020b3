//! The listener: takes the reports of all tasks, lets them be judged, and tells the news.

use std::net::IpAddr;
use std::sync::mpsc::Sender;

use observation::{ProbeFailure, ProbeOutcome, WatchedProbe};
use results::WatchGap;
use spikes::{JudgedSpike, SpikeJudge};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{Duration, MissedTickBehavior, interval};
use units::Time;

use crate::context::{Context, Report};
use crate::heartbeat::{Towards, is_another_way};
use crate::news::News;
use crate::pace::is_near;
use crate::probe::watch_hop;

/// The time between two looks of the judge.
const LOOK: Duration = Duration::from_millis(200);

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
    ongoing: Option<Time>,
    route: Route,
}

/// Whether there is a route to any target.
struct Route {
    /// True for a target to which there was none at its last probe.
    missing: Vec<bool>,
    /// The time since which there is none to any.
    since: Option<Time>,
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
            route: Route { missing: vec![false; targets], since: None },
        }
    }

    /// Listens until nobody wants the news any more.
    pub(super) async fn listen(mut self, mut reports: mpsc::UnboundedReceiver<Report>) {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_wanted = tokio::select! {
                report = reports.recv() => match report {
                    Some(report) => self.take(report),
                    None => false,
                },
                _ = look.tick() => self.look(),
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
                self.judge.await_answer(index, sent);
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
            Report::News(news) => news,
        };
        match &news {
            News::Probe(index, probe) => {
                self.judge.take_probe(*index, *probe);
                let ended = self.note_route(*index, *probe);
                if let Some(gap) = ended
                    && self.news.send(gap).is_err()
                {
                    return false;
                }
            }
            News::Second(second) => self.judge.take_second(*second),
            News::Gap { reason: WatchGap::Asleep, .. } => self.judge.forget_probes(),
            News::Change { change, .. } if is_another_way(change) => self.judge.forget_probes(),
            News::Address(index, address) => self.note_address(*index, *address),
            _ => {}
        }
        self.news.send(news).is_ok()
    }

    /// Notes whether there is a route. Returns the gap that has ended with this probe.
    fn note_route(&mut self, index: usize, probe: WatchedProbe) -> Option<News> {
        *self.route.missing.get_mut(index)? =
            probe.outcome == ProbeOutcome::Failed(ProbeFailure::NoRoute);
        let is_missing = self.route.missing.iter().all(|it| *it);
        match (is_missing, self.route.since) {
            (true, None) => {
                self.route.since = Some(probe.sent);
                // What was on its way says nothing of the path.
                self.context.break_off();
                self.judge.forget_probes();
                None
            }
            (false, Some(since)) => {
                self.route.since = None;
                let (end, duration) = (probe.sent, probe.sent.since(since));
                Some(News::Gap { end, duration, reason: WatchGap::Disconnected })
            }
            _ => None,
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

    /// Lets the judge look. Returns false if nobody wants the news.
    fn look(&mut self) -> bool {
        let now = self.context.clock.now();
        let mut is_wanted = true;
        for JudgedSpike { start, end, spike } in self.judge.tick(now) {
            is_wanted &= self.news.send(News::Spike { start, end, spike }).is_ok();
        }
        let wants_more = self.judge.wants_more(now);
        self.faster.send_if_modified(|it| std::mem::replace(it, wants_more) != wants_more);
        let ongoing = self.judge.ongoing();
        if std::mem::replace(&mut self.ongoing, ongoing) != ongoing {
            is_wanted &= self.news.send(News::Ongoing(ongoing)).is_ok();
        }
        is_wanted
    }
}
