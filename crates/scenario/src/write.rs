//! From a scenario back to a file, with every default spelled out.

use link::{Cells, Schedule};
use qdisc::Dscp;
use serde_json::Value;
use units::{Bytes, Prob, Span, Time, Way};

use crate::file::{
    AckFile, Between, BulkFile, BurstFile, CbrFile, CellsFile, ChangeFile, CommonFile,
    CongestionFile, Count, DscpFile, Equal, FlowFile, LinkFile, LossFile, Name, Number,
    ObjectsFile, Octets, PackmimeFile, PageFile, PerWindow, PeriodicFile, PingFile, Quantity,
    RateFile, ReverseFile, ScenarioFile, Step, TcpFile, TimesFile, TraceFile, TrafficFile,
    TransferFile, Unlimited, UpTo, VoipFile, WayFile, WindowFile,
};
use crate::tree::At;
use crate::{
    AckPolicy, Change, Congestion, Direction, Flow, Link, LossDetection, LossPlan, PingTimer,
    RatePlan, ReceiveWindow, Recurrence, Scenario, Tcp, Traffic, Writing,
};

/// The scenario as a file.
pub(crate) fn scenario(scenario: &Scenario) -> ScenarioFile {
    ScenarioFile {
        schema: None,
        sweep: None,
        title: Some(scenario.title.clone()),
        duration: quantity(scenario.duration),
        warmup: Some(quantity(scenario.warmup)),
        seed: Some(Count(scenario.seed)),
        link: scenario
            .links
            .iter()
            .map(|link| At::from(self::link(link)))
            .collect::<Vec<_>>()
            .into(),
        flow: scenario
            .flows
            .iter()
            .map(|flow| At::from(self::flow(flow)))
            .collect::<Vec<_>>()
            .into(),
        change: changes(scenario),
    }
}

/// The value without the keys whose value is null, which mean the same as absent keys.
pub(crate) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let entries = entries.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(entries.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Value::Array(elements) => Value::Array(elements.into_iter().map(without_nulls).collect()),
        value => value,
    }
}

fn quantity<T>(value: T) -> At<Quantity<T>> {
    Quantity(value).into()
}

fn name(name: &str) -> At<Name> {
    Name(name.into()).into()
}

fn number(count: u32) -> Option<At<Count>> {
    Some(Count(count.into()).into())
}

fn link(link: &Link) -> LinkFile {
    let ReverseFile { rate, delay, queue, overhead, cells, shaper, burst, loss } =
        direction(&link.directions.forward);
    let back = direction(&link.directions.reverse);
    let cells_back = back.cells.or(cells.and(Some(CellsFile::None)));
    LinkFile {
        name: name(&link.name),
        from: name(&link.from),
        to: name(&link.to),
        rate,
        delay,
        queue,
        overhead,
        cells,
        shaper,
        burst,
        loss,
        nat: link.nat.map(|way| match way {
            Way::Forward => name(&link.from),
            Way::Reverse => name(&link.to),
        }),
        reverse: Some(ReverseFile { cells: cells_back, ..back }),
    }
}

/// The changes; `None` if there is none.
fn changes(scenario: &Scenario) -> Option<At<Vec<At<ChangeFile>>>> {
    let change = |change: &Change| {
        let file = ChangeFile {
            at: quantity(change.at),
            link: name(&scenario.links[change.direction.link()].name),
            direction: Some(match change.direction.way() {
                Way::Forward => WayFile::Forward,
                Way::Reverse => WayFile::Reverse,
            }),
            queue: change.queue.as_ref().map(|queue| queue.to_string().into()),
            rate: change.rate.map(quantity),
        };
        At::from(file)
    };
    let changes: Vec<_> = scenario.changes.iter().map(change).collect();
    (!changes.is_empty()).then(|| changes.into())
}

fn direction(direction: &Direction) -> ReverseFile {
    ReverseFile {
        rate: Some(rate(direction.rate.as_ref()).into()),
        delay: Some(quantity(direction.delay)),
        queue: Some(direction.queue.to_string().into()),
        overhead: Some(Octets::bare(direction.overhead).into()),
        cells: match direction.cells {
            Cells::Atm => Some(CellsFile::Atm),
            Cells::Ptm => Some(CellsFile::Ptm),
            _ => None,
        },
        shaper: Some(direction.shaper.is_some().into()),
        burst: direction.shaper.map(|burst| Octets::bare(burst).into()),
        loss: Some(loss(direction.loss).into()),
    }
}

fn rate(rate: Option<&RatePlan>) -> RateFile {
    match rate {
        None => RateFile::Unlimited(Unlimited::Unlimited),
        Some(RatePlan::Constant(rate)) => RateFile::Constant(Quantity(*rate)),
        Some(RatePlan::Schedule(schedule)) => RateFile::Schedule(steps(schedule)),
        Some(RatePlan::Trace { path, .. }) => {
            RateFile::Trace(TraceFile { trace: path.clone().into() })
        }
    }
}

fn steps(schedule: &Schedule) -> Vec<At<Step>> {
    let step = |(time, rate): &(Time, _)| Step(quantity(time.since(Time::ZERO)), quantity(*rate));
    schedule.steps().iter().map(|entry| step(entry).into()).collect()
}

fn loss(loss: LossPlan) -> LossFile {
    match loss {
        LossPlan::None => LossFile::Random(Quantity(Prob::ZERO)),
        LossPlan::Random(rate) => LossFile::Random(Quantity(rate)),
        LossPlan::Bursty { rate, burst } => {
            LossFile::Bursty(BurstFile { rate: quantity(rate), burst: Number(burst).into() })
        }
    }
}

fn flow(flow: &Flow) -> FlowFile {
    let traffic = traffic(&flow.traffic);
    FlowFile {
        common: CommonFile {
            name: name(&flow.name),
            from: name(&flow.from),
            to: name(&flow.to),
            host: flow.host.clone().map(Name),
            to_host: flow.to_host.clone().map(Name),
            traffic: traffic.kind(),
            start: Some(times(flow.start.least, flow.start.most).into()),
            stop: flow.stop.map(quantity),
            count: number(flow.count),
            dscp: (flow.dscp != Dscp::default()).then_some(DscpFile(flow.dscp)),
            mark: (flow.mark > 0).then(|| Count(flow.mark.into()).into()),
        },
        traffic,
        tcp: flow.traffic.is_tcp().then(|| tcp(&flow.tcp)),
    }
}

fn traffic(traffic: &Traffic) -> TrafficFile {
    let sized = |bytes: Bytes| At::from(Octets::sized(bytes));
    let bare = |bytes: Bytes| At::from(Octets::bare(bytes));
    let Writing { rate, greeting } = traffic.writing();
    let (rate, greeting) = (rate.map(quantity), greeting.map(sized));
    match traffic {
        Traffic::Bulk { bytes, .. } => {
            let bytes = bytes.map(sized);
            TrafficFile::Bulk(BulkFile { bytes, rate, greeting })
        }
        Traffic::Transfer { bytes, .. } => {
            let bytes = sized(*bytes);
            TrafficFile::Transfer(TransferFile { bytes, rate, greeting })
        }
        Traffic::Periodic { bytes, next } => {
            let (every, idle) = match *next {
                Recurrence::Every(every) => (Some(quantity(every)), None),
                Recurrence::Idle { least, most } => (None, Some(times(least, most).into())),
            };
            let file = PeriodicFile { bytes: sized(*bytes), every, idle };
            TrafficFile::Periodic(file)
        }
        Traffic::Cbr { rate, packet } => {
            let file = CbrFile { rate: quantity(*rate), packet: bare(*packet) };
            TrafficFile::Cbr(file)
        }
        Traffic::Voip { codec } => {
            // The way back is a flow of its own.
            let file = VoipFile { codec: Some(*codec), two_way: Some(false) };
            TrafficFile::Voip(file)
        }
        Traffic::Ping { interval, timer, bytes } => {
            let file = PingFile {
                bytes: Some(bare(*bytes)),
                interval: Some(quantity(*interval)),
                timer: Some(*timer).filter(|timer| *timer != PingTimer::Regular),
            };
            TrafficFile::Ping(file)
        }
        Traffic::Page { connections, objects, pause } => {
            let file = PageFile {
                connections: number(*connections),
                objects: self::objects(objects).into(),
                pause: pause.map(quantity),
            };
            TrafficFile::Page(file)
        }
        Traffic::Packmime { connections_per_second } => {
            let connections_per_second = Number(*connections_per_second).into();
            TrafficFile::Packmime(PackmimeFile { connections_per_second })
        }
    }
}

fn times(least: Span, most: Span) -> TimesFile {
    match least == most {
        true => TimesFile::Always(Quantity(least)),
        false => TimesFile::Between(Between(quantity(least), quantity(most))),
    }
}

fn objects(sizes: &[Bytes]) -> ObjectsFile {
    match sizes {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|size| size == first) => {
            let count = Count(sizes.len() as u64).into();
            ObjectsFile::Equal(Equal { count, bytes: quantity(*first) })
        }
        _ => ObjectsFile::Sizes(sizes.iter().map(|size| quantity(*size)).collect()),
    }
}

fn tcp(tcp: &Tcp) -> TcpFile {
    TcpFile {
        mss: Some(Octets::bare(Bytes(tcp.mss.into())).into()),
        receive_window: Some(window(tcp.receive_window).into()),
        initial_window: number(tcp.initial_window),
        initial_ssthresh: tcp.initial_ssthresh.map(|bytes| Octets::sized(bytes).into()),
        sack: Some(tcp.sack),
        timestamps: Some(tcp.timestamps),
        window_scaling: Some(tcp.window_scaling),
        delayed_ack: Some(acknowledgements(tcp.acks).into()),
        quick_ack: Some((tcp.acks == AckPolicy::Delayed { quick_start: true }).into()),
        pacing: Some(tcp.pacing),
        offload: Some(tcp.offload),
        ecn: Some(tcp.ecn),
        abe: Some(tcp.abe),
        rack: Some((tcp.loss_detection == LossDetection::RackTlp).into()),
        min_rto: Some(quantity(tcp.rto_floor.span())),
        tick: tcp.tick.map(quantity),
        ..congestion(tcp.congestion)
    }
}

/// The keys of the congestion control.
fn congestion(congestion: Congestion) -> TcpFile {
    let named = |word: CongestionFile, hystart: bool| TcpFile {
        congestion: Some(word.into()),
        hystart: Some(hystart.into()),
        ..TcpFile::default()
    };
    match congestion {
        Congestion::Cubic { hystart, beta } => {
            TcpFile { beta: Some(Number(beta).into()), ..named(CongestionFile::Cubic, hystart) }
        }
        Congestion::Reno => named(CongestionFile::Reno, false),
        Congestion::Ledbat { target, gain } => TcpFile {
            ledbat_target: Some(quantity(target)),
            ledbat_gain: Some(Number(gain).into()),
            ..named(CongestionFile::Ledbat, false)
        },
        Congestion::Bbr => named(CongestionFile::Bbr, false),
    }
}

fn window(window: ReceiveWindow) -> WindowFile {
    match window {
        ReceiveWindow::Auto { max } => WindowFile::UpTo(UpTo { auto: Quantity(max) }),
        ReceiveWindow::Fixed(bytes) => WindowFile::Fixed(Quantity(bytes)),
    }
}

fn acknowledgements(policy: AckPolicy) -> AckFile {
    match policy {
        AckPolicy::EverySegment => AckFile::Delayed(false),
        AckPolicy::Delayed { .. } => AckFile::Delayed(true),
        AckPolicy::OncePerWindow => AckFile::PerWindow(PerWindow::PerWindow),
    }
}
