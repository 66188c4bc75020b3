//! What cannot be told of the machine, and why.

use observation::Heading;
use results::CannotTell;

use crate::counters::passed;
use crate::scene::{Scene, words};
use crate::shaping::below_another;

pub(crate) fn of(scene: &Scene<'_>) -> Vec<CannotTell> {
    let mut unknown = Vec::new();
    let mut tell = |what: &str, why: String| {
        unknown.push(CannotTell { what: what.to_owned(), why });
    };
    let survey = scene.survey;
    if survey.queues.is_none() {
        let why = match survey.lacks.iter().any(|tool| tool == "tc") {
            true => "tc is not installed",
            false => "tc told nothing",
        };
        tell("queues and shapers", why.to_owned());
    }
    for line in &survey.unread {
        tell("a queue", format!("tc told it in a form that is not known: {line}"));
    }
    let is_hidden = |device: &&str| !survey.devices.contains_key(*device);
    let of_queues = survey.queues.iter().flatten().map(|queue| queue.device.as_str());
    if let Some(device) = of_queues.into_iter().find(is_hidden) {
        let why = format!(
            "tc lists {device}, but /sys/class/net has no such device: mount the sysfs of this \
             network namespace (ip netns exec does)"
        );
        tell("the devices", why);
    }
    if scene.wan.is_none() {
        tell("the interface to the provider", "there is no default route; name it".to_owned());
    }
    let is_known = |heading| scene.known(heading).rate.is_some();
    if !is_known(Heading::Up) && !is_known(Heading::Down) {
        let why = "this needs the rates of the line: give --up and --down, or the output of unbloat test --json";
        tell("whether shapers are needed, and whether their rates are right", why.to_owned());
    } else if let Some(wan) = scene.wan.filter(|_| has_no_speed(scene)) {
        let why = format!("{wan} reports no rate of its own; a test from here shows whether it is");
        tell("whether the line is slower than this machine", why);
    }
    for heading in [Heading::Up, Heading::Down] {
        let known = scene.known(heading);
        if let Some((named, other)) = known.rate.zip(known.contradiction) {
            let [named, measured] = [named, other.measured()].map(words);
            let why = format!(
                "{named} was named, and the test measured {measured}; findings are made with the named rate, \
                 so leave it out if it is wrong"
            );
            tell(&format!("which rate the {} has", heading.in_words()), why);
        }
    }
    if let Some(wan) = scene.route.filter(|_| scene.is_shaped_outside()) {
        let why = format!("its queues are not in the kernel: unbloat shape {wan} --status");
        tell("whether the shaper of unbloat is right", why);
    }
    if let Some(queue) = below_another(scene) {
        let why = format!(
            "a {} with {} is below another queue of {}, where the rates of several add up",
            queue.kind,
            queue.rate().map_or_else(String::new, words),
            queue.device
        );
        tell("whether the upload is shaped to a rate that is right", why);
    }
    for shaped in scene.shapers() {
        let name = shaped.heading.in_words();
        if scene.known(shaped.heading).is_bloated == Some(true) {
            let why = "the test found a long queue there; if this shaper was in force during the \
                       test, the queue is elsewhere, or the rate is too high";
            tell(&format!("whether the shaper of the {name} helps"), why.to_owned());
        }
        if passed(scene, shaped.heading).is_none() {
            let why = format!(
                "less than 20 kB passed in {} s; load the line during the checkup",
                survey.pause_s
            );
            tell(&format!("whether the {name} passes its shaper"), why);
        }
    }
    if survey.lacks.iter().any(|tool| tool == "ethtool") && scene.shapers().next().is_some() {
        tell("offloads of the devices", "ethtool is not installed".to_owned());
    }
    if !survey.is_root && scene.shapers().next().is_some() {
        tell("flow tables of the firewall", "only root may read them".to_owned());
    }
    unknown
}

/// True if nothing shapes, and the device does not tell whether the line is slower: `ppp0` has no
/// speed.
fn has_no_speed(scene: &Scene<'_>) -> bool {
    let is_measured = [Heading::Up, Heading::Down]
        .into_iter()
        .any(|heading| scene.known(heading).is_bloated.is_some());
    let is_speed_known = scene.wan_device().is_some_and(|device| device.speed.is_some());
    scene.shapers().next().is_none()
        && !scene.is_shaped_outside()
        && !is_measured
        && !is_speed_known
}
