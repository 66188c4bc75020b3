//! Packets through the queues of the guest's kernel.

use std::path::Path;
use std::sync::LazyLock;

use guest::{Guest, Packages, Record, Results};
use serde_json::Value;
use units::Rng;

use super::{Departure, Fields};

/// The packages, which are downloaded once.
static PACKAGES: LazyLock<Packages> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    Packages::unpacked(&target.join("guest")).unwrap_or_else(|error| panic!("{error}"))
});

/// A pair of devices, v0 and v1: what is sent to any address leaves through v0. Nothing else sends
/// packets, since the devices have no IPv6 addresses.
const NETWORK: &str = "
ip link set lo up
ip link add v0 type veth peer name v1
ip link set v0 addrgenmode none
ip link set v1 addrgenmode none
ip link set v1 address 02:00:00:00:00:02 up
ip link set v0 address 02:00:00:00:00:01 up
ip address add 10.0.0.1/24 dev v0
ip neighbour add 10.0.0.2 lladdr 02:00:00:00:00:02 dev v0
ip route add default via 10.0.0.2
ip -6 address add fd00::1/128 dev lo
ip -6 neighbour add fe80::2 lladdr 02:00:00:00:00:02 dev v0
ip -6 route add default via fe80::2 dev v0
";

/// Packets and the queue that they go through.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The commands that make what the queue is below.
    pub(crate) above: &'static str,
    /// The place of the queue on the device v0, in the words of tc.
    pub(crate) place: &'static str,
    /// The settings of the queue.
    pub(crate) settings: String,
    /// Settings to change to, and the number of packets that come before.
    pub(crate) change: Option<(usize, String)>,
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
        let (name, settings) = (name.into(), settings.into());
        Self { name, above: "", place: "root", settings, change: None, schedule }
    }

    /// The same with a change to these settings after so many packets, all of which come at one
    /// time.
    pub(crate) fn changing(self, after: usize, settings: impl Into<String>) -> Self {
        Self { change: Some((after, settings.into())), ..self }
    }
}

/// What the guest observed of a case.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    /// When each packet was sent, and the packet.
    pub(crate) arrivals: Vec<(u64, Vec<u8>)>,
    pub(crate) change: Option<Change>,
    pub(crate) departures: Vec<Departure>,
    /// `tc -s -j qdisc show` at the end: one object a queue.
    pub(crate) shown: Vec<Value>,
}

impl Observed {
    /// The same with each packet up to `LATEST` later, at random: it comes to the queue some
    /// microseconds after it was sent. The change comes at random before the packet behind it: the
    /// command needs milliseconds, in which packets leave, and nobody knows when it takes effect.
    pub(crate) fn late(&self, seed: u64) -> Self {
        let (mut rng, mut last) = (Rng::new(seed), 0);
        let mut late = |(nanos, packet): &(u64, Vec<u8>)| {
            last = last.max(nanos + rng.next_u64() % LATEST);
            (last, packet.clone())
        };
        let arrivals = self.arrivals.iter().map(&mut late).collect();
        let change = self.change.clone().map(|change| {
            let begun = change.nanos;
            let ended = self.arrivals.get(change.after).map_or(begun, |(nanos, _)| *nanos);
            Change { nanos: begun + rng.below((ended - begun).max(1)), ..change }
        });
        Self { arrivals, change, ..self.clone() }
    }
}

/// The most by which a packet is taken to come later, in nanoseconds.
const LATEST: u64 = 25_000;

/// A change of the settings.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// The number of packets that came before.
    pub(crate) after: usize,
    pub(crate) nanos: u64,
    pub(crate) settings: String,
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
        for (name, path) in [
            ("guest-traffic", env!("CARGO_BIN_EXE_guest-traffic")),
            ("guest-queues", env!("CARGO_BIN_EXE_guest-queues")),
        ] {
            let added = guest.add_program(name, Path::new(path));
            added.unwrap_or_else(|error| panic!("{error}"));
        }
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
    for case in cases {
        let Case { name, above, place, settings, change, schedule } = case;
        let mut schedule = schedule.clone();
        if let Some((after, _)) = change {
            schedule.insert(*after, (schedule[after - 1].0, Vec::new()));
        }
        script.add_schedule(name, &schedule);
        script.add(above);
        script.add(&format!("tc qdisc add dev v0 {place} {settings}"));
        // PIE's timer begins half a second after the queue is made.
        script.add("sleep 1");
        let command =
            |(_, to): &(usize, String)| format!("/bin/tc qdisc change dev v0 {place} {to}");
        let command: String = change.iter().map(command).collect();
        script
            .add(&format!("guest-traffic /tmp/{name} {name}.arrivals {name}.departures {command}"));
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
        let mut times = Record::read(&file("arrivals")).expect("whole records");
        let change = self.change.clone().map(|(after, settings)| {
            let nanos = times.remove(after).nanos;
            Change { after, nanos, settings }
        });
        let packets = self.schedule.iter().map(|(_, packet)| packet.clone());
        let departure = |Record { nanos, packet }| Departure {
            nanos,
            id: Fields(&packet).identity(),
            traffic_class: Fields(&packet).traffic_class(),
        };
        let departures = Record::read(&file("departures")).expect("whole records");
        Observed {
            arrivals: times.iter().map(|it| it.nanos).zip(packets).collect(),
            change,
            departures: departures.into_iter().map(departure).collect(),
            shown: serde_json::from_slice(&file("json")).expect("JSON of tc"),
        }
    }
}
