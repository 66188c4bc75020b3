//! Whether both directions are shaped, and to which rate.

use observation::Heading;
use results::{Fault, FaultName, Severity};
use survey::{Module, Queue, Redirect, Survey};
use units::Rate;

use crate::fault::{Told, fault};
use crate::framing::stretch;
use crate::scene::{Scene, Shaped, words};

/// The part of the line's rate above which a shaper leaves the queue to the line. What a
/// measurement finds may be one part in a hundred too small.
const MOST: f64 = 1.02;

/// The part of the line's rate below which a shaper gives much of it away.
const LEAST: f64 = 0.7;

/// The multiples of the line's rate that eight times 0.85 to 1.1 of it are: `mbps` is megabytes in
/// tc(8).
const BYTES: std::ops::Range<f64> = 6.8..8.8;

/// The ratio of the rates of a line from which both can be told apart.
const ASYMMETRIC: f64 = 1.5;

/// The rate above which a direction is often left alone: it fills seldom, and shaping it costs much.
const FAST: Rate = Rate::from_mbit(300);

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    if scene.survey.queues.is_none() {
        return;
    }
    // A queue that could not be read may be the shaper that seems to be missing.
    let is_whole = scene.survey.unread.is_empty();
    match (scene.up, scene.down) {
        (None, _) | (_, None) if !is_whole || scene.is_shaped_outside() => {}
        (None, None) => faults.extend(no_shaper(scene)),
        (Some(shaped), None) | (None, Some(shaped)) => faults.extend(one_direction(scene, shaped)),
        (Some(up), Some(down)) if is_swapped(scene, up, down) => {
            faults.push(swapped(scene, up, down));
            return;
        }
        _ => {}
    }
    faults.extend(scene.shapers().filter_map(|shaped| against_line(scene, shaped)));
}

/// The command that plans shapers for this machine.
pub(crate) fn plan(scene: &Scene<'_>) -> String {
    let rates = [(Heading::Up, "--up"), (Heading::Down, "--down")].map(|(heading, option)| {
        let rate = scene.known(heading).rate;
        format!("{option} {}", rate.map_or_else(|| "RATE".to_owned(), words))
    });
    let wan = scene.wan.unwrap_or("DEV");
    let link = scene.known.link.filter(|link| !link.is_unknown());
    let link = link.map_or_else(String::new, |link| format!(" --link {}", link.name));
    let platform = platform(scene.survey);
    format!("unbloat fix --for {platform} --wan {wan} {}{link}", rates.join(" "))
}

/// The platform for which a plan is for this machine, as `unbloat fix` calls it.
fn platform(survey: &Survey) -> &'static str {
    let runs = |name: &str| survey.runs.iter().any(|it| it == name);
    match survey.release.id.as_str() {
        "openwrt" => "openwrt",
        "vyos" if survey.release.name.starts_with("VyOS 1.4") => "vyos-1.4",
        "vyos" => "vyos-1.5",
        _ if runs("systemd") && needs_own_queues(survey) => "unbloat",
        _ if runs("systemd") => "tc",
        _ if runs("ifupdown") => "ifupdown",
        _ => "PLATFORM",
    }
}

/// True if the kernel is known to lack a module.
pub(crate) fn is_absent(survey: &Survey, module: &str) -> bool {
    survey.modules.get(module) == Some(&Module::Absent)
}

/// True if the kernel lacks what `tc` needs for both directions, and can hand packets over to
/// `unbloat shape`.
fn needs_own_queues(survey: &Survey) -> bool {
    let is_absent = |name: &&str| is_absent(survey, name);
    let lacks = ["sch_cake", "ifb", "act_mirred", "cls_matchall"].iter().any(is_absent);
    lacks && survey.kernel.version.is_some_and(|version| version >= (6, 6))
}

/// What is said of each direction of a line without a shaper: its rate, and how long others waited there.
const EVIDENCE: [[&str; 2]; 2] =
    [["line up", "delay of others up (p95)"], ["line down", "delay of others down (p95)"]];

/// Without a shaper, a slow line behind a fast device has the queue.
fn no_shaper(scene: &Scene<'_>) -> Option<Fault> {
    let (wan, device) = (scene.wan?, scene.wan_device()?);
    let both = [Heading::Up, Heading::Down].map(|heading| scene.known(heading));
    let is_bloated = both.iter().any(|known| known.is_bloated == Some(true) && !known.is_here);
    let is_fine = both.iter().all(|known| known.is_bloated == Some(false));
    let is_slower = |rate: Rate| device.speed.is_some_and(|speed| rate < speed);
    let is_behind =
        both.iter().filter(|known| !known.is_here).filter_map(|known| known.rate).any(is_slower);
    if is_fine || !(is_bloated || is_behind) {
        return None;
    }
    let severity = if is_bloated { Severity::Wrong } else { Severity::Doubtful };
    let mut found = fault(FaultName::NoShaper, severity, wan);
    if let Some(root) = scene.survey.root(wan) {
        found = found.seen("queue", &root.kind);
    }
    if let Some(speed) = device.speed {
        found = found.seen("speed", words(speed));
    }
    for (known, [line, delay]) in both.iter().zip(EVIDENCE) {
        if let Some(rate) = known.rate {
            found = found.seen(line, words(rate));
        }
        if let Some(p95) = known.delay.filter(|_| known.is_bloated == Some(true)) {
            found = found.seen(delay, p95);
        }
    }
    let text = "Shape both directions a little below the line, here or on the router of the line.";
    Some(found.cured(text, plan(scene)))
}

fn one_direction(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    if leads_nowhere(scene) || (shaped.heading == Heading::Down && below_another(scene).is_some()) {
        return None;
    }
    let (missing, name) = match shaped.heading {
        Heading::Up => (Heading::Down, "download"),
        Heading::Down => (Heading::Up, "upload"),
    };
    let known = scene.known(missing);
    let is_fast = known.rate.is_some_and(|rate| rate > FAST);
    let severity = match known.is_bloated {
        Some(true) => Severity::Wrong,
        Some(false) => return None,
        None if is_fast => Severity::Note,
        None => Severity::Doubtful,
    };
    let found = fault(FaultName::OneDirection, severity, &shaped.queue.device)
        .seen("shaped", format!("{} {}", shaped.queue.kind, words(shaped.rate)))
        .seen("not shaped", name);
    Some(found.cured("Shape the other direction too.", plan(scene)))
}

/// The first shaper at the device to the provider that is below a queue which does not shape, such as one of
/// several below `mq`; `None` if there is none.
pub(crate) fn below_another<'a>(scene: &Scene<'a>) -> Option<&'a Queue> {
    let mut below = scene.survey.of(scene.wan?).filter(|queue| !queue.is_root());
    below.find(|queue| scene.up.is_none() && queue.rate().is_some())
}

/// True if what comes in is redirected to a device that is gone with its shaper, which is a finding
/// of its own.
fn leads_nowhere(scene: &Scene<'_>) -> bool {
    let is_own = |redirect: &&Redirect| Some(redirect.from.as_str()) == scene.wan;
    let mut own = scene.survey.redirects.iter().filter(is_own);
    own.any(|redirect| !scene.survey.devices.contains_key(&redirect.to))
}

/// The rate of a shaper as a multiple of the line's; `None` if the line is not known.
fn multiple(scene: &Scene<'_>, shaped: Shaped<'_>, line: Heading) -> Option<f64> {
    let line = scene.known(line).rate?.bits_per_sec() as f64 * stretch(shaped.queue);
    Some(shaped.rate.bits_per_sec() as f64 / line)
}

/// True if each shaper has about the rate of the other direction's line.
fn is_swapped(scene: &Scene<'_>, up: Shaped<'_>, down: Shaped<'_>) -> bool {
    let is_like = |shaped, line| {
        multiple(scene, shaped, line).is_some_and(|multiple| (LEAST..=MOST).contains(&multiple))
    };
    let rates = scene.known.up.rate.zip(scene.known.down.rate);
    let ratio = |(up, down): (Rate, Rate)| up.bits_per_sec() as f64 / down.bits_per_sec() as f64;
    let is_asymmetric = rates.map(ratio).is_some_and(|ratio| ratio.max(1.0 / ratio) >= ASYMMETRIC);
    is_asymmetric && is_like(up, Heading::Down) && is_like(down, Heading::Up)
}

fn swapped(scene: &Scene<'_>, up: Shaped<'_>, down: Shaped<'_>) -> Fault {
    let mut found = fault(FaultName::RatesSwapped, Severity::Wrong, &up.queue.device)
        .seen("upload", words(up.rate))
        .seen("download", words(down.rate));
    for (heading, what) in [(Heading::Up, "line up"), (Heading::Down, "line down")] {
        if let Some(rate) = scene.known(heading).rate {
            found = found.seen(what, words(rate));
        }
    }
    let change = |shaped: Shaped<'_>, rate| shaped.change(&format!("bandwidth {}", words(rate)));
    let commands = [change(up, down.rate), change(down, up.rate)];
    let commands = if up.is_cake() && down.is_cake() { commands.join("\n") } else { plan(scene) };
    found.cured("Exchange the two rates, also in the configuration that sets them.", commands)
}

/// A rate that does not fit the line.
fn against_line(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let known = scene.known(shaped.heading);
    let multiple = multiple(scene, shaped, shaped.heading)?;
    // A test that found a short queue here tells the rate of the shaper, not that of the line.
    let is_short = known.is_bloated == Some(false);
    if multiple > MOST && is_short {
        return None;
    }
    let (name, severity, text) = if BYTES.contains(&multiple) {
        let text = "Write mbit: in tc, mbps is megabytes per second.";
        (FaultName::RateMistyped, Severity::Wrong, text)
    } else if multiple > MOST {
        let text = "Lower the rate below that of the line, so that the queue is here.";
        (FaultName::RateAboveLine, Severity::Wrong, text)
    } else if multiple < LEAST {
        let text = "Raise the rate, unless the line is sometimes that slow.";
        (FaultName::RateFarBelowLine, Severity::Note, text)
    } else {
        return None;
    };
    let line = known.rate?;
    let command = match shaped.is_cake() {
        true => shaped.change(&format!("bandwidth {}", words(remedy::shaped(line)))),
        false => plan(scene),
    };
    let found = fault(name, severity, &shaped.queue.device)
        .seen("rate", words(shaped.rate))
        .seen("line", words(line));
    Some(found.cured(text, command))
}
