//! Packets through the queues of the guest's kernel.

use std::path::Path;
use std::sync::LazyLock;

use guest::{Guest, Packages, Record, Results};
use serde_json::Value;

use super::{Departure, identity, traffic_class};

/// The packages, which are downloaded once.
static PACKAGES: LazyLock<Packages> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    Packages::unpacked(&target.join("guest")).unwrap_or_else(|error| panic!("{error}"))
});

/// A pair of devices, v0 and v1: what is sent to any address leaves through v0. Nothing else sends
/// packets.
const NETWORK: &str = "
ip link set lo up
[ ! -e /proc/sys/net/ipv6 ] || echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add v0 type veth peer name v1
ip link set v1 address 02:00:00:00:00:02 up
ip link set v0 address 02:00:00:00:00:01 up
ip address add 10.0.0.1/24 dev v0
ip neighbour add 10.0.0.2 lladdr 02:00:00:00:00:02 dev v0
ip route add default via 10.0.0.2
";

/// Packets and the queue that they go through.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The commands that make the queue of the device v0; `QUEUE` in them is `settings`.
    pub(crate) make: &'static str,
    /// The settings of the queue.
    pub(crate) settings: String,
    /// Settings to change to after the last packet was sent.
    pub(crate) change_to: Option<String>,
    /// The IP packets, with the times in nanoseconds at which they are to be sent.
    pub(crate) schedule: Vec<(u64, Vec<u8>)>,
}

impl Case {
    /// A case with this queue alone on the device.
    pub(crate) fn new(
        name: impl Into<String>,
        settings: impl Into<String>,
        schedule: Vec<(u64, Vec<u8>)>,
    ) -> Self {
        let make = "tc qdisc add dev v0 root QUEUE\n";
        Self { name: name.into(), make, settings: settings.into(), change_to: None, schedule }
    }
}

/// What the guest observed of a case.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    /// When each packet was sent, and the packet.
    pub(crate) arrivals: Vec<(u64, Vec<u8>)>,
    /// When the settings changed, and to which.
    pub(crate) changed: Option<(u64, String)>,
    pub(crate) departures: Vec<Departure>,
    /// `tc -s -j qdisc show` at the end: one object a queue.
    pub(crate) shown: Vec<Value>,
}

/// Commands for a guest that has the pair of devices, and the program that sends and observes
/// packets.
#[derive(Debug)]
pub(crate) struct Script {
    guest: Guest<'static>,
    commands: String,
}

impl Script {
    /// The commands that make the pair of devices.
    pub(crate) fn new() -> Self {
        let mut guest = Guest::new(&PACKAGES).unwrap_or_else(|error| panic!("{error}"));
        let program = Path::new(env!("CARGO_BIN_EXE_guest-traffic"));
        guest.add_program("guest-traffic", program).unwrap_or_else(|error| panic!("{error}"));
        Self { guest, commands: NETWORK.to_owned() }
    }

    /// Appends a command.
    pub(crate) fn add(&mut self, command: &str) {
        self.commands += command;
        self.commands += "\n";
    }

    /// Adds the file `/tmp/NAME` with packets and the times at which they are to be sent.
    pub(crate) fn add_schedule(&mut self, name: &str, schedule: &[(u64, Vec<u8>)]) {
        let record =
            |(nanos, packet): &(u64, Vec<u8>)| Record { nanos: *nanos, packet: packet.clone() };
        let records: Vec<_> = schedule.iter().map(record).collect();
        self.guest.add_file(name, &Record::write(&records));
    }

    /// Boots the guest, and returns the files that the commands left.
    pub(crate) fn run(self) -> Results {
        self.guest.run(&self.commands).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Boots a guest, and returns what it observed of each case.
pub(crate) fn observe(cases: &[Case]) -> Vec<Observed> {
    let mut script = Script::new();
    for Case { name, make, settings, change_to, schedule } in cases {
        script.add_schedule(name, schedule);
        script.add(&make.replace("QUEUE", settings));
        let change = change_to.iter().map(|it| format!("/bin/tc qdisc change dev v0 root {it}"));
        let change: String = change.collect();
        script
            .add(&format!("guest-traffic /tmp/{name} {name}.arrivals {name}.departures {change}"));
        script.add(&format!("tc -s -j qdisc show dev v0 >{name}.json"));
        script.add("tc qdisc del dev v0 root");
    }
    let mut results = script.run();
    cases.iter().map(|case| case.observed(&mut results)).collect()
}

impl Case {
    fn observed(&self, results: &mut Results) -> Observed {
        let mut file = |kind| {
            let name = format!("{}.{kind}", self.name);
            results.remove(&name).unwrap_or_else(|| panic!("the guest left no {name}"))
        };
        let mut times = Record::read(&file("arrivals")).expect("whole records").into_iter();
        let packets = self.schedule.iter().map(|(_, packet)| packet.clone());
        let arrivals = times.by_ref().map(|it| it.nanos).zip(packets).collect();
        let departure = |Record { nanos, packet }| Departure {
            nanos,
            id: identity(&packet),
            traffic_class: traffic_class(&packet),
        };
        let departures = Record::read(&file("departures")).expect("whole records");
        Observed {
            arrivals,
            changed: self.change_to.clone().zip(times.next()).map(|(to, at)| (at.nanos, to)),
            departures: departures.into_iter().map(departure).collect(),
            shown: serde_json::from_slice(&file("json")).expect("JSON of tc"),
        }
    }
}
