//! What tc prints and takes: read by us and printed again, and the other way round; and the same
//! as the kernel itself tells it.

use std::sync::LazyLock;

use ::tc::{ListedQdisc, Listing};
use guest::{Record, Results};
use qdisc::QdiscSpec;

use crate::support::{Script, overload};

/// Settings of CAKE as people write them.
const CAKES: [&str; 30] = [
    "cake",
    "cake bandwidth 10mbit",
    "cake bandwidth 1900kbit besteffort dual-srchost nat ack-filter pppoe-ptm ether-vlan mpu 68",
    "cake bandwidth 19mbit besteffort dual-dsthost nat wash ingress docsis",
    "cake unlimited precedence flowblind rtt 5us",
    "cake bandwidth 1gbit diffserv3 srchost lan",
    "cake bandwidth 2500kbit diffserv4 dsthost metro raw",
    "cake bandwidth 12344kbit diffserv8 hosts regional conservative",
    "cake bandwidth 1.5mbit flows internet ethernet no-split-gso",
    "cake bandwidth 100mbit triple-isolate oceanic memlimit 32mb fwmark 0xff00",
    "cake bandwidth 10mbit satellite ack-filter-aggressive memlimit 123456",
    "cake bandwidth 10mbit interplanetary no-ack-filter egress nowash nonat",
    "cake autorate-ingress bandwidth 50mbit ingress",
    "cake bandwidth 10mbit datacentre fwmark 7",
    "cake bandwidth 10mbit rtt 50ms via-ethernet",
    "cake bandwidth 10mbit rtt 1500us overhead -4 mpu 84 noatm",
    "cake bandwidth 10mbit overhead 44 atm",
    "cake bandwidth 10mbit overhead 30 ptm split-gso",
    "cake bandwidth 10mbit pppoa-vcmux",
    "cake bandwidth 10mbit pppoa-llc",
    "cake bandwidth 10mbit pppoe-vcmux",
    "cake bandwidth 10mbit pppoe-llcsnap",
    "cake bandwidth 10mbit bridged-ptm",
    "cake bandwidth 10mbit bridged-vcmux",
    "cake bandwidth 10mbit bridged-llcsnap ether-vlan ether-vlan",
    "cake bandwidth 10mbit ipoa-vcmux",
    "cake bandwidth 10mbit ipoa-llcsnap",
    "cake bandwidth 64kbit diffserv8",
    "cake bandwidth 64bit besteffort memlimit 1kb",
    "cake bandwidth 3mibit diffserv",
];

/// Settings of other queues.
const OTHERS: [&str; 14] = [
    "codel",
    "codel limit 200 target 10ms interval 50ms ecn",
    "codel ce_threshold 2ms",
    "fq_codel",
    "fq_codel limit 300 flows 256 quantum 300 target 2ms interval 40ms memory_limit 1mb noecn",
    "fq_codel ce_threshold 4ms drop_batch 8",
    "pie",
    "pie limit 500 target 20ms tupdate 32ms alpha 1 beta 10 ecn bytemode dq_rate_estimator",
    "pfifo limit 30",
    "bfifo limit 30000",
    "sfb",
    "red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 10mbit",
    "red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 10mbit ecn adaptive",
    "red limit 400000 min 30000 max 90000 avpkt 1000 burst 55 bandwidth 10mbit harddrop",
];

/// All settings.
fn all() -> impl Iterator<Item = &'static str> {
    CAKES.into_iter().chain(OTHERS)
}

/// What a guest tells of the queue with each settings, by the number of the settings: the files
/// `.text` and `.json` of its device, and `.all` and `.bytes` of all devices. `below` is a queue below
/// a class.
static TOLD: LazyLock<Results> = LazyLock::new(|| {
    let mut script = Script::new();
    script.add_schedule("traffic", &overload(1)[..1000]);
    for (index, settings) in all().enumerate() {
        script.add(&format!("tc qdisc add dev v0 root {settings}"));
        // Two queues in three have carried traffic, which is over before they are listed.
        if index % 3 > 0 {
            script.add("guest-traffic /tmp/traffic arrivals departures");
        }
        script.add(&format!("tc -s qdisc show dev v0 >{index}.text"));
        script.add(&format!("tc -s -j qdisc show dev v0 >{index}.json"));
        script.add(&format!("tc -s -j qdisc show >{index}.all"));
        script.add(&format!("guest-queues {index}.bytes"));
        script.add("tc qdisc del dev v0 root");
    }
    script.add("tc qdisc add dev v0 root handle 1: tbf rate 1mbit burst 5kb latency 50ms");
    script.add("tc qdisc add dev v0 parent 1:1 handle a: fq_codel noecn");
    script.add("guest-queues below.bytes");
    script.add("tc -s -j qdisc show >below.all");
    script.run()
});

/// A file of text that the guest left.
fn told(name: &str) -> String {
    String::from_utf8_lossy(&TOLD[name]).into_owned()
}

/// Text and JSON with all statistics, of every kind of queue.
#[test]
fn needs_qemu_what_tc_shows_is_printed_again_unchanged() {
    for (index, settings) in all().enumerate() {
        let (text, json) = (told(&format!("{index}.text")), told(&format!("{index}.json")));
        let read: Listing = text.parse().unwrap_or_else(|error| panic!("{settings}: {error}"));
        assert_eq!(read.to_string(), text, "{settings}");
        let json = json.trim_end();
        let read = Listing::from_json(json).unwrap_or_else(|error| panic!("{settings}: {error}"));
        assert_eq!(read.to_json(), json, "{settings}");
        assert_eq!(read.to_string(), text, "{settings}: the text of the JSON");
    }
}

/// The kinds whose options and statistics are read from the kernel.
const READ_FROM_NETLINK: [&str; 7] =
    ["noqueue", "bfifo", "cake", "codel", "fq_codel", "pfifo", "pie"];

/// Every field, value and place of tc's JSON, from the bytes of rtnetlink.
#[test]
fn needs_qemu_the_queues_of_netlink_are_those_of_tc() {
    let numbers = (0..all().count()).map(|index| index.to_string());
    let mut carried = 0;
    for (name, settings) in numbers.chain(["below".to_owned()]).zip(all().chain(["below tbf"])) {
        let shown = Listing::from_json(told(&format!("{name}.all")).trim_end()).unwrap();
        let messages = Record::read(&TOLD[&format!("{name}.bytes")]).unwrap();
        assert_eq!(messages.len(), shown.queues.len(), "{settings}");
        for (message, shown) in messages.iter().zip(shown.queues) {
            carried += u32::from(shown.fields()["packets"] != 0);
            is_told(message, shown, settings);
        }
    }
    assert!(carried >= 20, "{carried}");
}

/// A message of the kernel has what tc shows of the queue; of other kinds, what all have.
fn is_told(message: &Record, shown: ListedQdisc, settings: &str) {
    let dev = shown.fields()["dev"].as_str().unwrap();
    let told = ListedQdisc::from_netlink(&message.packet, dev).unwrap();
    let one = |queue: ListedQdisc| Listing { queues: vec![queue] }.to_json();
    if READ_FROM_NETLINK.contains(&shown.kind()) {
        assert_eq!(one(told), one(shown), "{settings}");
    } else {
        assert_eq!(told.fields()["kind"], shown.fields()["kind"]);
        assert_eq!(told.fields()["bytes"], shown.fields()["bytes"]);
    }
}

/// The settings of CAKE as we read and print them make the same queue as the words of people do.
#[test]
fn needs_qemu_tc_takes_what_we_print_and_we_what_it_shows() {
    // One call for all queues takes a tenth of the time.
    let mut script = Script::new();
    script.add("tc -batch - >shown <<END");
    for settings in CAKES {
        for settings in [settings, &spec(settings).to_string()] {
            script.add(&format!("qdisc add dev v0 root {settings}"));
            script.add("qdisc show dev v0");
            script.add("qdisc del dev v0 root");
        }
    }
    script.add("END");
    let results = script.run();
    let shown = String::from_utf8_lossy(&results["shown"]);
    // `qdisc cake 8001: root refcnt 2 bandwidth 10Mbit ...`
    let options = |line: &str| {
        let (_, options) = line.trim_end().split_once(" refcnt 2 ").expect("one user besides");
        format!("cake {options}")
    };
    let shown: Vec<_> = shown.lines().map(options).collect();
    assert_eq!(shown.len(), 2 * CAKES.len());
    for (settings, shown) in CAKES.iter().zip(shown.chunks(2)) {
        assert_eq!(shown[0], shown[1], "{settings}: as people and as we write it");
        // What tc shows of a rate is rounded down to a thousand bits.
        if !settings.contains("mibit") {
            assert_eq!(spec(&shown[0]), spec(settings), "{settings}");
        }
    }
}

fn spec(settings: &str) -> QdiscSpec {
    settings.parse().unwrap_or_else(|error| panic!("{settings}: {error}"))
}
