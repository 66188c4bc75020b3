//! The survey and what is known, with the shapers of both directions.

use observation::Heading;
use survey::{Device, Queue, Survey};
use units::Rate;

use crate::{Known, KnownDirection};

/// All that findings are made of.
pub(crate) struct Scene<'a> {
    pub(crate) survey: &'a Survey,
    pub(crate) known: &'a Known,
    /// Interface to the provider.
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
        let wan = known.wan.as_deref().or(survey.wan());
        let shaped = |heading, device: &str| {
            let queue = survey.root(device)?;
            Some(Shaped { heading, queue, rate: queue.rate()? })
        };
        let redirected =
            survey.redirects.iter().filter(|redirect| Some(redirect.from.as_str()) == wan);
        // A router may also shape the download where it leaves for the network at home.
        let inner = survey.devices.keys().filter(|name| Some(name.as_str()) != wan);
        let down = redirected
            .map(|redirect| redirect.to.as_str())
            .chain(inner.map(String::as_str))
            .find_map(|device| shaped(Heading::Down, device));
        let up = wan.and_then(|wan| shaped(Heading::Up, wan));
        Self { survey, known, wan, up, down }
    }

    /// The shapers that are there.
    pub(crate) fn shapers(&self) -> impl Iterator<Item = Shaped<'a>> {
        self.up.into_iter().chain(self.down)
    }

    /// What is known of a direction.
    pub(crate) const fn known(&self, heading: Heading) -> &'a KnownDirection {
        self.known.of(heading)
    }

    /// The device to the provider.
    pub(crate) fn wan_device(&self) -> Option<&'a Device> {
        self.survey.devices.get(self.wan?)
    }

    /// The rate at which the device to the provider is itself the bottleneck; `None` if it is not
    /// known to be that: no measurement found the queue in this machine, and the line is not as
    /// fast as the device.
    pub(crate) fn bottleneck_here(&self) -> Option<Rate> {
        let (device, up) = (self.wan_device()?, self.known(Heading::Up));
        if self.up.is_some() {
            return None;
        }
        let fills = |rate: &Rate| {
            device.speed.is_some_and(|speed| rate.bits_per_sec() / 9 >= speed.bits_per_sec() / 10)
        };
        let rate = up.rate.or(device.speed)?;
        (up.is_here || up.rate.as_ref().is_some_and(fills)).then_some(rate)
    }
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

/// The rate in tc's words.
pub(crate) fn words(rate: Rate) -> String {
    remedy::tc(rate)
}
