//! A shaper: ports, hooks and queues of one interface, and the loop that moves its packets.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use kernel::Netlink;
use live::{Clock, DirectionSetup, Fabric, LinkLayer, Port, PortId};
use qdisc::QdiscSpec;
use units::{Bytes, Rng, Span, Way};

use crate::control::Control;
use crate::direction::Direction;
use crate::error::TryTo;
use crate::hooks::{self, Hooks, Switch, Taker};
use crate::pace::Pace;
use crate::program::MARK;
use crate::settings::framing;
use crate::standby;
use crate::work::{End, Reach, Work};
use crate::{Event, Factory, Interface, Latest, QueueSettings, Settings, ShapeError};

/// The memory that packets may take: more than a second at 400 Mbit/s.
const MOST_MEMORY: Bytes = Bytes(64 << 20);
/// The time between two looks for an interface that is away.
const LOOK: Span = Span::from_millis(100);
/// The names of our devices begin with this.
const DEVICE_PREFIX: &str = "unbloat";

/// A shaper on an interface. Packets pass as before once it is dropped.
#[derive(Debug)]
pub struct Shaper<F: Factory = QdiscSpec> {
    fabric: Fabric<F::Queue>,
    /// The port into the interface; `None` if uploads are not shaped.
    exit: Option<PortId>,
    work: Work<F>,
}

impl<F: Factory> Shaper<F> {
    /// Prepares a shaper on an interface of the calling thread's network namespace. Packets go through
    /// the queues only while [`run`](Self::run) runs.
    ///
    /// # Errors
    /// If there is no such interface, if another shaper of ours is at work on it, or if this process
    /// or this kernel cannot shape. Nothing is left behind.
    pub fn new(
        settings: &Settings<F>,
        stop: Arc<AtomicBool>,
        report: Box<dyn FnMut(Event) + Send>,
    ) -> Result<Self, ShapeError> {
        let switch = Switch::reserve()?;
        let netlink = Netlink::open().try_to("asking for interfaces")?;
        let interface = Interface::named(&netlink, &settings.interface)
            .try_to("asking for the interface")?
            .ok_or_else(|| ShapeError::NoInterface(settings.interface.clone()))?;
        if interface.is_loopback {
            return Err(ShapeError::Loopback(interface.name));
        }
        let control = Control::open(&interface.name, interface.index)?;
        hooks::check_rights()?;
        let mut fabric = Fabric::new(MOST_MEMORY).try_to("making an epoll")?;
        let mut exit = None;
        let (mut takers, mut directions) = (Vec::new(), Vec::new());
        // The kernel too draws the keys of hashes anew each time.
        let seed = Rng::new(Clock::of_kernel().now().as_nanos());
        for way in [Way::Forward, Way::Reverse] {
            let Some(queue) = &settings.queues[way] else { continue };
            let port =
                Port::redirected(DEVICE_PREFIX, interface.link_layer).map_err(hooks::no_port)?;
            let device = port.index();
            let source = fabric.add_port(port);
            let sink = match way {
                Way::Forward => {
                    let port = Port::to_device(interface.index, interface.link_layer, MARK)
                        .map_err(hooks::no_port)?;
                    *exit.insert(fabric.add_port(port))
                }
                Way::Reverse => source,
            };
            let setup = setup(queue, interface.link_layer, seed.fork(way.name()));
            fabric.add_direction(source, sink, setup).try_to("watching a device")?;
            takers.push(Taker { way, device });
            let device = netlink.device_name(device).try_to("asking for a device")?;
            directions.push(Direction::new(way, queue.clone(), device.unwrap_or_default()));
        }
        let hooks = Hooks::load(&takers, &interface, switch)?;
        let follow = settings.follow.as_ref();
        let pace =
            follow.map(|it| Pace::new(&interface.name, it, Clock::of_kernel())).transpose()?;
        let reach = Reach { netlink, hooks, control, stop, report };
        let work = Work::new(interface, directions, settings.unable, pace, reach);
        Ok(Self { fabric, exit, work })
    }

    /// The latest state of the shaper, which changes each second while it runs.
    pub fn latest(&self) -> Latest {
        self.work.latest()
    }

    /// Shapes until it is told to stop, on a thread of the interface's network namespace. Follows the
    /// interface when that is switched off and on, renamed, or removed and made again with the same
    /// name.
    ///
    /// # Errors
    /// If the kernel refuses what it allowed before.
    pub fn run(&mut self) -> Result<(), ShapeError> {
        let is_real_time = self.fabric.has_limit_everywhere() && sandbox::use_real_time().is_ok();
        if !is_real_time {
            // Without either, the loop is late more often, and says so.
            let _ = sandbox::use_short_turns();
        }
        loop {
            if let Some(exit) = self.exit {
                self.fabric.port(exit).retarget(self.work.interface().index);
            }
            self.work.begin()?;
            // Without the second process, an end of this one loses some packets more.
            let _standby = standby::start(&self.fabric, &self.work.reach.hooks);
            self.fabric.run(Clock::of_kernel(), &mut self.work).try_to("moving packets")?;
            match self.work.end() {
                End::Stopped => return Ok(()),
                End::InterfaceGone => {
                    if !self.work.wait_for_interface(LOOK)? {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// A direction of the fabric with this queue.
fn setup<F: Factory>(
    settings: &QueueSettings<F>,
    link_layer: LinkLayer,
    rng: Rng,
) -> DirectionSetup<F::Queue> {
    DirectionSetup {
        queue: settings.build(rng.fork("queue")),
        wire: settings.wire(),
        framing: framing(link_layer),
        most_packets: settings.most_packets(),
        passes_others: true,
        rng: rng.fork("loss"),
        changes: Vec::new(),
    }
}
