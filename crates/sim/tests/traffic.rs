//! Kinds of traffic that are more than one connection or one stream of packets.

mod support;

use results::{Document, FlowKind};
use support::{direction, flow, run};

/// A line from `server` to `home` and one flow over it.
fn line(seconds: u32, rate: &str, queue: &str, flow: &str) -> Document {
    run(&format!(
        "duration = \"{seconds}s\"\n\
         [[link]]\nname = \"line\"\nfrom = \"server\"\nto = \"home\"\nrate = \"{rate}\"\n\
         delay = \"20ms\"\nqueue = \"{queue}\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"server\"\nto = \"home\"\n{flow}\n"
    ))
}

fn crowd(rate: f64) -> String {
    format!("traffic = \"packmime\"\nconnections_per_second = {rate}")
}

/// A greeting costs one round trip (40 ms), and its bytes are part of what is sent. An application
/// that writes slowly begins to do so behind the answer: without a greeting it has written all
/// before the handshake ends, with one the last of seven segments leaves six writes of 1448 bytes
/// at 100 Mbit/s later (0.695 ms), in place of six packets of 1514 bytes at 1 Gbit/s (0.073 ms).
#[test]
fn what_follows_a_greeting_waits_for_the_answer() {
    let slower = 6.0 * (1448.0 * 8.0 / 100e6 - 1514.0 * 8.0 / 1e9);
    for (pace, waits) in [("", 0.04), ("rate = \"100mbit\"", 0.04 + slower)] {
        let took = |greeting: &str| {
            let flow = format!("traffic = \"transfer\"\nbytes = \"10kB\"\n{pace}\n{greeting}");
            let document = line(5, "1gbit", "pfifo limit 1000", &flow);
            assert_eq!(document.flows["f"].delivered_bytes, Some(10_000));
            document.flows["f"].completion_s.unwrap().max.unwrap()
        };
        let later = took("greeting = \"37B\"") - took("");
        assert!((later - waits).abs() < 1e-5, "{later} for {waits}");
        // All of it is the greeting: nothing waits.
        assert!((took("greeting = \"10kB\"") - took("")).abs() < 1e-5);
    }
    // What has no end begins with one too.
    let bulk = line(5, "10mbit", "pfifo limit 100", "traffic = \"bulk\"\ngreeting = 37");
    let goodput = bulk.flows["f"].goodput_mbit.unwrap();
    assert!((9.0..9.66).contains(&goodput), "{goodput}");
}

#[test]
fn a_crowd_comes_at_its_rate_and_is_answered() {
    // Several crowds: the rate of a single one is off for very long.
    let crowds = format!("{}\ncount = 8", crowd(10.0));
    let document = line(100, "1gbit", "pfifo limit 1000", &crowds);
    let webs = || document.flows.values();
    let opened: u64 = webs().map(|web| web.connections.unwrap()).sum();
    assert!((6_800..9_200).contains(&opened), "{opened}");
    // One in eleven stays open, for several requests.
    let answered: u64 = webs().map(|web| web.completion_s.unwrap().count).sum();
    assert!(answered > opened && answered < 2 * opened, "{answered} of {opened}");
    for web in webs() {
        assert_eq!(web.timeouts, Some(0));
        // A handshake and a round trip of 40 ms each, and 5.9 ms of the server's; later requests
        // need no handshake, larger responses need more.
        let completion = web.completion_s.unwrap();
        assert!((0.0815..0.13).contains(&completion.p50.unwrap()), "{completion:?}");
    }
}

/// The requests do not depend on the queue.
#[test]
fn the_crowd_is_the_same_over_any_queue() {
    let web = |queue| {
        let document = line(60, "2mbit", queue, &crowd(5.0));
        let web = flow(&document, "f").clone();
        (web.connections, web.completion_s.unwrap().p95)
    };
    let (fifo, codel) = (web("pfifo limit 1000"), web("fq_codel"));
    assert_eq!(fifo.0, codel.0);
    assert_ne!(fifo.1, codel.1);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let text = |document: &Document| serde_json::to_string(document).unwrap();
    let lossy = |seed| {
        let web = format!("{}\ncount = 2\n", crowd(20.0));
        let scenario = format!(
            "duration = \"20s\"\nseed = {seed}\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\n\
             rate = \"1mbit\"\ndelay = \"30ms\"\nloss = \"2%\"\nqueue = \"codel\"\n\
             [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\n{web}\n\
             [[flow]]\nname = \"u\"\nfrom = \"b\"\nto = \"a\"\ntraffic = \"periodic\"\n\
             bytes = \"50kB\"\nidle = [\"10ms\", \"2s\"]\n\
             [[flow]]\nname = \"call\"\nfrom = \"a\"\nto = \"b\"\ntraffic = \"voip\"\n"
        );
        run(&scenario)
    };
    let (one, again, other) = (lossy(1), lossy(1), lossy(2));
    assert_eq!(text(&one), text(&again));
    assert_ne!(text(&one), text(&other));
    assert_ne!(flow(&one, "f[0]").delivered_bytes, flow(&one, "f[1]").delivered_bytes);
    assert!(flow(&one, "call-back").mos < flow(&line(5, "1mbit", "codel", CALL), "f-back").mos);
}

#[test]
fn nobody_comes() {
    let document = line(20, "1mbit", "pfifo limit 10", &crowd(0.0));
    let web = flow(&document, "f");
    assert_eq!((web.connections, web.sent_packets), (Some(0), Some(0)));
    assert_eq!(web.completion_s.unwrap().count, 0);
}

/// Far more than the line carries: connections pile up, and the line is full.
#[test]
fn too_large_a_crowd_fills_the_line() {
    let document = line(60, "64kbit", "pfifo limit 50", &crowd(80.0));
    let web = flow(&document, "f");
    assert!(web.connections.unwrap() > 4_000, "{:?}", web.connections);
    assert!(direction(&document, "line").utilisation.unwrap() > 0.98);
    assert!(web.completion_s.unwrap().count < 600);
}

#[test]
fn a_crowd_goes_home() {
    let stopped = |at: u32| {
        let lines = format!("{}\nstop = \"{at}s\"", crowd(20.0));
        flow(&line(60, "10mbit", "fq_codel", &lines), "f").clone()
    };
    let (early, late) = (stopped(10), stopped(50));
    let (few, many) = (early.connections.unwrap(), late.connections.unwrap());
    assert!((140..270).contains(&few) && many > 4 * few, "{few} {many}");
    assert!(early.completion_s.unwrap().count > few / 2);
}

const CALL: &str = "traffic = \"voip\"\ncodec = \"g711\"";

#[test]
fn a_call_over_an_idle_line() {
    let document = line(10, "1mbit", "codel", CALL);
    for name in ["f", "f-back"] {
        let call = flow(&document, name);
        assert_eq!((call.kind, call.sent_packets), (FlowKind::Voip, Some(500)), "{name}");
        assert_eq!(call.lost_packets, Some(0));
        // 200 bytes at 1 Mbit/s take 1.6 ms.
        let delay = call.delay_ms.unwrap().p50.unwrap();
        assert!((delay - 21.6).abs() < 0.05, "{name}: {delay}");
        // From mouth to ear 20 ms of voice more: R = 93.2 - 0.024 * 41.6.
        let rating: f64 = 93.2 - 0.024 * 41.6;
        let score = 1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6;
        assert!((call.mos.unwrap() - score).abs() < 0.001, "{name}: {:?}", call.mos);
    }
}

/// The upload fills the way there, and the way back stays clear.
#[test]
fn the_two_ways_of_a_call_differ() {
    let upload = format!(
        "{CALL}\n[[flow]]\nname = \"upload\"\nfrom = \"server\"\nto = \"home\"\ntraffic = \"bulk\""
    );
    let document = line(60, "1mbit", "pfifo limit 100", &upload);
    let score = |name| flow(&document, name).mos.unwrap();
    assert!(score("f") < 1.5, "{}", score("f"));
    assert!(score("f-back") > 4.0, "{}", score("f-back"));
    assert!(flow(&document, "upload").mos.is_none());
    let managed = line(60, "1mbit", "fq_codel", &upload);
    assert!(flow(&managed, "f").mos.unwrap() > 4.0, "{:?}", flow(&managed, "f").mos);
}

/// 1 MB takes 8 s / 10 and a little: with ten seconds of rest in the mean, 55 in ten minutes.
#[test]
fn uploads_rest_after_each() {
    let uploads = |idle: &str| {
        let lines = format!("traffic = \"periodic\"\nbytes = \"1MB\"\nidle = {idle}");
        flow(&line(600, "10mbit", "pfifo limit 100", &lines), "f").clone()
    };
    let random = uploads("[\"5s\", \"15s\"]");
    let completion = random.completion_s.unwrap();
    assert!((48..62).contains(&completion.count), "{completion:?}");
    assert!((0.84..1.5).contains(&completion.p50.unwrap()), "{completion:?}");
    // What was sent was sent whole, but for the last.
    let rest = random.delivered_bytes.unwrap() - 1_000_000 * completion.count;
    assert!(rest < 1_000_000, "{rest}");
    // Always the same rest: so many fit.
    let steady = uploads("\"9s\"").completion_s.unwrap();
    let expected = 600.0 / (9.0 + steady.mean.unwrap());
    assert!((steady.count as f64 - expected).abs() < 1.0, "{steady:?} {expected}");
}

#[test]
fn uploads_end_when_they_should() {
    let lines = "traffic = \"periodic\"\nbytes = \"100kB\"\nidle = \"1s\"\nstop = \"10s\"";
    let uploads = flow(&line(60, "10mbit", "pfifo limit 100", lines), "f").clone();
    let count = uploads.completion_s.unwrap().count;
    assert!((6..=9).contains(&count), "{count}");
    assert_eq!(uploads.delivered_bytes, Some(100_000 * count));
}
