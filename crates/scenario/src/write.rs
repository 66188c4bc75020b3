//! From a scenario back to a file, with every default spelled out.

use link::Schedule;
use serde_json::Value;
use units::{Bytes, Prob, Span, Time};

use crate::file::{
    AckFile, Between, BurstFile, Count, Equal, FlowFile, IdleFile, Kind, LinkFile, LossFile, Name,
    Number, ObjectsFile, Octets, PerWindow, Quantity, RateFile, ReverseFile, ScenarioFile, Step,
    TraceFile, Unlimited, UpTo, WindowFile,
};
use crate::tree::At;
use crate::{
    Congestion, DelayedAck, Direction, Flow, Link, LossPlan, RatePlan, ReceiveWindow, Recurrence,
    Scenario, Tcp, Traffic,
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
    }
}

/// The same without the keys whose value is null, which mean the same as absent keys.
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
    let ReverseFile { rate, delay, queue, overhead, shaper, burst, loss } =
        direction(&link.directions.forward);
    LinkFile {
        name: name(&link.name),
        from: name(&link.from),
        to: name(&link.to),
        rate,
        delay,
        queue,
        overhead,
        shaper,
        burst,
        loss,
        reverse: Some(direction(&link.directions.reverse)),
    }
}

fn direction(direction: &Direction) -> ReverseFile {
    ReverseFile {
        rate: Some(rate(direction.rate.as_ref()).into()),
        delay: Some(quantity(direction.delay)),
        queue: Some(direction.queue.to_string().into()),
        overhead: Some(Octets::bare(direction.overhead).into()),
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
    let mut file = FlowFile {
        name: name(&flow.name),
        from: name(&flow.from),
        to: name(&flow.to),
        start: Some(quantity(flow.start)),
        stop: flow.stop.map(quantity),
        count: number(flow.count),
        ..FlowFile::default()
    };
    traffic(&flow.traffic, &mut file);
    if flow.traffic.is_tcp() {
        tcp(&flow.tcp, &mut file);
    }
    file
}

fn traffic(traffic: &Traffic, file: &mut FlowFile) {
    let sized = |bytes: Bytes| Some(Octets::sized(bytes).into());
    let bare = |bytes: Bytes| Some(Octets::bare(bytes).into());
    match traffic {
        Traffic::Bulk { bytes } => {
            file.traffic = Kind::Bulk;
            file.bytes = bytes.and_then(sized);
        }
        Traffic::Transfer { bytes } => {
            file.traffic = Kind::Transfer;
            file.bytes = sized(*bytes);
        }
        Traffic::Periodic { bytes, next } => {
            file.traffic = Kind::Periodic;
            file.bytes = sized(*bytes);
            match next {
                Recurrence::Every(every) => file.every = Some(quantity(*every)),
                Recurrence::Idle { least, most } => file.idle = Some(idle(*least, *most).into()),
            }
        }
        Traffic::Cbr { rate, packet } => {
            file.traffic = Kind::Cbr;
            file.rate = Some(quantity(*rate));
            file.packet = bare(*packet);
        }
        Traffic::Voip { codec } => {
            file.traffic = Kind::Voip;
            file.codec = Some(*codec);
            // The way back is a flow of its own.
            file.two_way = Some(false);
        }
        Traffic::Ping { interval, bytes } => {
            file.traffic = Kind::Ping;
            file.interval = Some(quantity(*interval));
            file.bytes = bare(*bytes);
        }
        Traffic::Page { connections, objects, pause } => {
            file.traffic = Kind::Page;
            file.connections = number(*connections);
            file.objects = Some(self::objects(objects).into());
            file.pause = pause.map(quantity);
        }
        Traffic::Packmime { connections_per_second } => {
            file.traffic = Kind::Packmime;
            file.connections_per_second = Some(Number(*connections_per_second).into());
        }
    }
}

fn idle(least: Span, most: Span) -> IdleFile {
    match least == most {
        true => IdleFile::Always(Quantity(least)),
        false => IdleFile::Between(Between(quantity(least), quantity(most))),
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

fn tcp(tcp: &Tcp, file: &mut FlowFile) {
    file.congestion = Some(tcp.congestion.into());
    if tcp.congestion == Congestion::Ledbat {
        file.ledbat_target = Some(quantity(tcp.ledbat_target));
        file.ledbat_gain = Some(Number(tcp.ledbat_gain).into());
    }
    file.mss = Some(Octets::bare(tcp.mss).into());
    file.receive_window = Some(window(tcp.receive_window).into());
    file.initial_window = number(tcp.initial_window);
    file.initial_ssthresh = tcp.initial_ssthresh.map(|bytes| Octets::sized(bytes).into());
    file.sack = Some(tcp.sack);
    file.timestamps = Some(tcp.timestamps);
    file.window_scaling = Some(tcp.window_scaling);
    file.delayed_ack = Some(acknowledgements(tcp.delayed_ack).into());
    file.quick_ack = Some(tcp.quick_ack.into());
    file.hystart = Some(tcp.hystart.into());
    file.beta = (tcp.congestion == Congestion::Cubic).then(|| Number(tcp.beta).into());
    file.pacing = Some(tcp.pacing);
    file.offload = Some(tcp.offload);
    file.ecn = Some(tcp.ecn);
    file.abe = Some(tcp.abe);
    file.rack = Some(tcp.rack.into());
    file.min_rto = Some(quantity(tcp.min_rto));
    file.rate = tcp.application_rate.map(quantity);
    file.greeting = tcp.greeting.map(|bytes| Octets::sized(bytes).into());
}

fn window(window: ReceiveWindow) -> WindowFile {
    match window {
        ReceiveWindow::Auto { max } => WindowFile::UpTo(UpTo { auto: Quantity(max) }),
        ReceiveWindow::Fixed(bytes) => WindowFile::Fixed(Quantity(bytes)),
    }
}

fn acknowledgements(delayed: DelayedAck) -> AckFile {
    match delayed {
        DelayedAck::Off => AckFile::Delayed(false),
        DelayedAck::On => AckFile::Delayed(true),
        DelayedAck::PerWindow => AckFile::PerWindow(PerWindow::PerWindow),
    }
}
