//! A shaper from its options to its end, and requests to one that is at work.

use std::sync::Arc;

use autorate::Both;
use kernel::Netlink;
use qdisc::QdiscSpec;
use results::Shaping;
use shape::{
    Event, FollowError, FollowSettings, Interface, News, Place, QueueSettings, Request, Settings,
    ShapeError, Shaper, Unable,
};
use units::{PerWay, Rate};

use super::state::{directions, limit, print};
use super::{live, service};
use crate::args::{OnStarvation, ShapeArgs, ShapeSetArgs, ShapeVerb};
use crate::failure::Failure;
use crate::figures;
use crate::follow;
use crate::interrupt;
use crate::message::note;
use crate::output;
use crate::terminal::variable;

/// Does what was typed.
pub(crate) fn shape(args: &ShapeArgs) -> Result<(), Failure> {
    if let Some(ShapeVerb::Set(args)) = &args.set {
        return set(args);
    }
    let interface = args.interface.as_deref().unwrap_or_default();
    if args.status {
        return print(&asked(interface, &Request::Status)?, args.json);
    }
    if args.live {
        return live::show(|| asked(interface, &Request::Status));
    }
    let settings = settings(interface, args)?;
    let PerWay { forward, reverse } = &settings.queues;
    let queues = [("up", &args.up, forward), ("down", &args.down, reverse)];
    let warnings = queues.into_iter().filter_map(|(name, queue, settings)| {
        let has_rate = settings.as_ref().is_some_and(|it| it.limit().is_some());
        queue.as_ref().filter(|_| !has_rate).map(|queue| rateless(name, queue))
    });
    warnings.filter(|_| !args.quiet).for_each(note);
    work(&settings, args)
}

/// The warning about a queue without a rate in this direction.
fn rateless(direction: &str, queue: &QdiscSpec) -> String {
    let example = match queue {
        QdiscSpec::Cake(_) => format!("--{direction} \"cake bandwidth 18mbit\""),
        _ => format!("--{direction}-rate 18mbit"),
    };
    format!(
        "note: the queue of --{direction} has no rate, so no packet waits in it, and the long queue stays \
         in the modem. Give it a rate a little below that of the line, such as {example}"
    )
}

/// Shapes until it is stopped.
fn work(settings: &Settings, args: &ShapeArgs) -> Result<(), Failure> {
    let stop = interrupt::end()?;
    let ends = args.duration.map(|time| (time, Arc::clone(&stop)));
    let (mut interface, quiet) = (settings.interface.clone(), args.quiet);
    let tell = move |event: Event| {
        if !quiet {
            note(told(&interface, &event));
        }
        if let Event::Renamed(name) = event {
            interface = name;
        }
    };
    let mut shaper = Shaper::new(settings, stop, Box::new(tell)).map_err(failure)?;
    if let Some((time, stop)) = ends {
        interrupt::end_after(time, stop)?;
    }
    if let Some(address) = args.metrics {
        figures::serve(address, shaper.latest(), metrics::shaping, quiet)?;
    }
    service::tell(shaper.latest());
    shaper.run().map_err(failure)
}

/// The settings that were typed.
fn settings(interface: &str, args: &ShapeArgs) -> Result<Settings, Failure> {
    let up = queue("--up", args.up.as_ref(), args.up_rate)?;
    let down = queue("--down", args.down.as_ref(), args.down_rate)?;
    if up.is_none() && down.is_none() {
        return Err(Failure::Input(format!(
            "name a queue for at least one direction: unbloat shape {interface} --up \"cake \
             bandwidth 18mbit\" --down \"cake bandwidth 90mbit ingress\""
        )));
    }
    let follow = follow_settings(args, &up, &down)?;
    Ok(Settings {
        interface: interface.to_owned(),
        queues: PerWay { forward: up, reverse: down },
        unable: match args.on_starvation {
            OnStarvation::Pass => Unable::Pass,
            OnStarvation::Shape => Unable::Shape,
        },
        follow,
    })
}

/// The rules that the rates follow; `None` if they are fixed.
fn follow_settings(
    args: &ShapeArgs,
    up: &Option<QueueSettings>,
    down: &Option<QueueSettings>,
) -> Result<Option<FollowSettings>, Failure> {
    if !args.autorate {
        return match args.follow.typed() {
            None => Ok(None),
            Some(option) => Err(Failure::Input(format!(
                "{option} is for rates that follow the line; add --autorate"
            ))),
        };
    }
    let rate = |option: &str, queue: &Option<QueueSettings>| {
        queue.as_ref().and_then(QueueSettings::limit).ok_or_else(|| {
            Failure::Input(format!(
                "--autorate needs a base rate in both directions, which the line has most of the time: give \
                 {option} a queue with a rate"
            ))
        })
    };
    let rates = Both { up: rate("--up", up)?, down: rate("--down", down)? };
    let limits = follow::limits(&args.follow, rates)?;
    Ok(Some(FollowSettings { limits, source: follow::source(&args.follow)? }))
}

/// The settings of a direction; `None` if none were typed.
fn queue(
    option: &str,
    spec: Option<&QdiscSpec>,
    rate: Option<Rate>,
) -> Result<Option<QueueSettings>, Failure> {
    let Some(spec) = spec else { return Ok(None) };
    let settings = QueueSettings::new(spec.clone(), rate);
    settings.map(Some).map_err(|why| Failure::Input(format!("{option} \"{spec}\": {why}")))
}

/// Changes the queues of a shaper at work.
fn set(args: &ShapeSetArgs) -> Result<(), Failure> {
    let request = Request::Set {
        up: args.up.clone(),
        down: args.down.clone(),
        up_rate: args.up_rate,
        down_rate: args.down_rate,
    };
    let state = asked(&args.interface, &request)?;
    if args.json {
        return print(&state, true);
    }
    for (name, direction) in directions(&state) {
        output::print(&format!("{name:<10}{}  {}", direction.queue, limit(direction)))?;
    }
    Ok(())
}

/// The state of the shaper at work on an interface, after a request.
fn asked(name: &str, request: &Request) -> Result<Shaping, Failure> {
    let interface = Netlink::open()
        .and_then(|netlink| Interface::named(&netlink, name))
        .map_err(|error| Failure::Run(format!("asking for {name}: {error}")))?;
    let Some(interface) = interface else {
        let waiting = shape::ask(Place::Awaited(name), request).map_err(Failure::Input)?;
        return waiting.ok_or_else(|| failure(ShapeError::NoInterface(name.to_owned())));
    };
    shape::ask(Place::Interface(interface.index), request).map_err(Failure::Input)?.ok_or_else(|| {
        if interface.is_loopback {
            return failure(ShapeError::Loopback(interface.name.clone()));
        }
        Failure::Input(format!(
            "no shaper is at work on {name}; begin with `unbloat shape {name} --up \"cake bandwidth \
             18mbit\"`"
        ))
    })
}

fn told(interface: &str, event: &Event) -> String {
    match event {
        Event::Shaping { limits } => {
            let rate = |limit: Option<Rate>| limit.map_or("no limit".into(), |it| it.to_string());
            let PerWay { forward, reverse } = limits;
            format!(
                "shaping {interface}: {} out, {} in; Ctrl-C ends it",
                rate(*forward),
                rate(*reverse)
            )
        }
        Event::Others { count } => format!(
            "{count} other programs are at the hooks of {interface}, and run after the shaper: what \
             they redirect is shaped first"
        ),
        Event::GenericXdp => format!(
            "an XDP program on {interface} runs in the kernel's generic mode: it sees incoming \
             packets twice"
        ),
        Event::Gone => format!("{interface} is gone; waiting for it"),
        Event::Renamed(name) => format!("{interface} has the name {name} now"),
        Event::KernelShaper { kind } => format!(
            "{interface} has a {kind} of the kernel, which shapes too: what leaves this shaper waits there \
             again, unless the {kind} has a higher rate; `tc qdisc del dev {interface} root` removes it"
        ),
        Event::Delays(News::Known) => format!("the delays of {interface}'s line are known"),
        Event::Delays(news) => format!(
            "no delay of {interface}'s line is known {}; `unbloat shape {interface} --status` says why",
            if *news == News::Unknown { "yet" } else { "now" }
        ),
        Event::SteppedAside => format!(
            "this machine is too busy to shape {interface}: packets pass for ten seconds \
             (--on-starvation shape goes on in any case)"
        ),
    }
}

/// The error in a command of `unbloat lab`, which has no capabilities, and for which sudo has none.
const IN_LAB: &str = "a command of `unbloat lab` cannot shape an interface, not even with sudo. Give the \
    queue to the lab: unbloat lab --rate 20mbit --up-queue \"cake bandwidth 18mbit\" -- COMMAND";

fn failure(error: ShapeError) -> Failure {
    match error {
        ShapeError::NoInterface(_)
        | ShapeError::Loopback(_)
        | ShapeError::Taken(_)
        | ShapeError::Follow(FollowError::Server(_)) => Failure::Input(error.to_string()),
        ShapeError::Forbidden(_) if variable("UNBLOAT_LINK").is_some() => {
            Failure::Run(IN_LAB.into())
        }
        _ => Failure::Run(error.to_string()),
    }
}
