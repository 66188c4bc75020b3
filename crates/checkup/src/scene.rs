//! The survey and what is known, with the shapers of both directions.

use observation::Heading;
use survey::{Device, Queue, Redirect, Survey};
use units::Rate;

use crate::{Known, KnownDirection};

/// Fewest bytes in the pause from which a ratio is drawn: some tens of packets.
pub(crate) const ENOUGH: u64 = 20_000;

/// All that findings are made of.
pub(crate) struct Scene<'a> {
    pub(crate) survey: &'a Survey,
    pub(crate) known: &'a Known,
    /// Interface to the provider, as it was named or as the default route has it.
    pub(crate) route: Option<&'a str>,
    /// The device at which packets to the provider are shaped: that interface, or one through which
    /// it sends.
    pub(crate) wan: Option<&'a str>,
    /// The shaper of the upload.
    pub(crate) up: Option<Shaped<'a>>,
    /// The shaper of the download.
    pub(crate) down: Option<Shaped<'a>>,
}

/// A queue that shapes, and its rate.
#[derive(Clone, Copy)]
pub(crate) struct Shaped<'a> {
    pub(crate) heading: Heading,
    pub(crate) queue: &'a Queue,
    pub(crate) rate: Rate,
}

impl<'a> Scene<'a> {
    pub(crate) fn of(survey: &'a Survey, known: &'a Known) -> Self {
        let route = known.wan.as_deref().or(survey.wan());
        let wan = shaped_device(survey, known, route).or(route);
        let shaped = |heading, device: &str| {
            let queue = survey.root(device)?;
            Some(Shaped { heading, queue, rate: queue.rate()? })
        };
        let redirected = survey
            .redirects
            .iter()
            .filter(|redirect| redirect.is_sent != (Some(redirect.from.as_str()) == wan));
        let up = wan.and_then(|wan| shaped(Heading::Up, wan));
        // A router may also shape the download where it leaves for the network at home. Another shaper there
        // more likely limits a guest of this machine.
        let received = route.and_then(|route| received(survey, route));
        let is_download = |device: &str| {
            let Some(shaped) = shaped(Heading::Down, device) else { return false };
            let passed = shaped.queue.passed;
            let has_passed = received.zip(passed).is_some_and(|(all, passed)| passed >= all / 2);
            match up {
                None => shaped.is_cake() && has_passed,
                Some(up) => {
                    shaped.is_cake()
                        || has_passed
                        || is_near(shaped.rate, known.down.rate)
                        || is_exchanged(known, up.rate, shaped.rate)
                }
            }
        };
        let inner = survey.devices.keys().map(String::as_str);
        let inner = inner.filter(|name| Some(*name) != wan && !is_of_other_line(survey, wan, name));
        let down = redirected
            .map(|redirect| redirect.to.as_str())
            .chain(inner.filter(|device| is_download(device)))
            .find_map(|device| shaped(Heading::Down, device));
        Self { survey, known, route, wan, up, down }
    }

    /// The shapers that are there.
    pub(crate) fn shapers(&self) -> impl Iterator<Item = Shaped<'a>> {
        self.up.into_iter().chain(self.down)
    }

    /// True if `unbloat shape` is at work on the way to the provider. tc does not show its queues.
    pub(crate) fn is_shaped_outside(&self) -> bool {
        [self.route_device(), self.wan_device()]
            .into_iter()
            .flatten()
            .any(|it| it.is_shaped_outside)
    }

    /// What is known of a direction.
    pub(crate) const fn known(&self, heading: Heading) -> &'a KnownDirection {
        self.known.of(heading)
    }

    /// The interface to the provider.
    pub(crate) fn route_device(&self) -> Option<&'a Device> {
        self.survey.devices.get(self.route.or(self.wan)?)
    }

    /// The device at which packets to the provider are shaped.
    pub(crate) fn wan_device(&self) -> Option<&'a Device> {
        self.survey.devices.get(self.wan?)
    }

    /// The rate at which the device to the provider is itself the bottleneck; `None` if it is not
    /// known to be that: no measurement found the queue in this machine, and the line is not as
    /// fast as the device.
    pub(crate) fn bottleneck_here(&self) -> Option<Rate> {
        let (device, up) = (self.wan_device()?, self.known(Heading::Up));
        if self.up.is_some() || self.is_shaped_outside() {
            return None;
        }
        let fills = |rate: &Rate| {
            device.speed.is_some_and(|speed| rate.bits_per_sec() / 9 >= speed.bits_per_sec() / 10)
        };
        let rate = up.rate.or(device.speed)?;
        (up.is_here || up.rate.as_ref().is_some_and(fills)).then_some(rate)
    }
}

/// The device at which packets are shaped that go by this interface; `None` if none shapes.
fn shaped_device<'a>(survey: &'a Survey, known: &Known, route: Option<&'a str>) -> Option<&'a str> {
    let shapes = |device: &str| survey.root(device).is_some_and(|queue| queue.rate().is_some());
    let redirects = |device: &str| {
        let mut received = survey.redirects.iter().filter(|redirect| !redirect.is_sent);
        received.any(|redirect| redirect.from == device && shapes(&redirect.to))
    };
    let lower = route.and_then(|route| survey.devices.get(route)).map(|device| &device.lower);
    let lower = lower.into_iter().flatten().map(String::as_str);
    let on_the_way = route.into_iter().chain(lower);
    // A tunnel does not tell what carries it.
    let others = survey.devices.keys().map(String::as_str).filter(|name| {
        let has_route = survey.default_routes.iter().any(|route| route == name);
        known.wan.is_none() && !has_route && redirects(name)
    });
    on_the_way.filter(|name| shapes(name) || redirects(name)).chain(others).next()
}

/// True if a shaper has about the rate of the line; false if that is not known.
fn is_near(rate: Rate, line: Option<Rate>) -> bool {
    const ABOUT: std::ops::RangeInclusive<f64> = 0.5..=1.5;
    line.is_some_and(|line| ABOUT.contains(&(rate.as_mbit_f64() / line.as_mbit_f64())))
}

/// True if two shapers have each about the rate of the other direction's line.
fn is_exchanged(known: &Known, up: Rate, down: Rate) -> bool {
    is_near(up, known.down.rate) && is_near(down, known.up.rate)
}

/// The bytes that an interface received in the pause; `None` if they are too few, or were not counted.
fn received(survey: &Survey, interface: &str) -> Option<u64> {
    let bytes = survey.devices.get(interface)?.passed?.rx_bytes;
    (bytes >= ENOUGH).then_some(bytes)
}

/// True if a device belongs to a line other than that of this interface.
fn is_of_other_line(survey: &Survey, wan: Option<&str>, device: &str) -> bool {
    let has_route = survey.default_routes.iter().any(|route| route == device);
    let is_other = |redirect: &&Redirect| !redirect.is_sent && Some(redirect.from.as_str()) != wan;
    let mut others = survey.redirects.iter().filter(is_other);
    has_route || others.any(|redirect| redirect.from == device || redirect.to == device)
}

impl Shaped<'_> {
    /// True for CAKE, on one hardware queue or several.
    pub(crate) fn is_cake(&self) -> bool {
        self.queue.kind.starts_with("cake")
    }

    /// The command that sets words of this queue, and leaves all others.
    pub(crate) fn change(&self, words: &str) -> String {
        let Self { queue, .. } = self;
        format!("tc qdisc change dev {} root {} {words}", queue.device, queue.kind)
    }
}

/// The rate in tc's words to a kilobit, in the largest unit of which it is a whole number.
pub(crate) fn words(rate: Rate) -> String {
    let bits = (rate.bits_per_sec() / 1000).max(1) * 1000;
    let mut unit = [(1_000_000_000, "gbit"), (1_000_000, "mbit")].into_iter();
    let unit = unit.find(|(size, _)| bits.is_multiple_of(*size));
    let (size, name) = unit.unwrap_or((1000, "kbit"));
    format!("{}{name}", bits / size)
}
