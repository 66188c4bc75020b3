//! The scenario file of a case.

use qdisc::Dscp;
use units::{Rng, Span};

use super::case::Case;
use super::figures::{FLOW, LINK, PING};
use super::flow_spec::{FlowSpec, Transport};

/// The range of start times, drawn from the seed. The reference says "all started at 0", but
/// processes do not start at the same nanosecond.
const STARTED_WITHIN: Span = Span::from_millis(10);

/// The bytes of iperf3's cookie: 36 characters and a zero (iperf_api.h, `COOKIE_SIZE`).
const COOKIE_BYTES: u32 = 37;

/// The interval of pings with a code point.
const MARKED_PING_EACH: Span = Span::from_millis(100);

/// The tick of the reference's kernel, which has 250 Hz, and by which CUBIC counts.
const TICK: &str = "4ms";

/// The queue of nodes that never make a packet wait.
const NO_QUEUE: &str = "pfifo limit 100000";

/// The bytes that HTB saves up, and what Ethernet adds to an IP packet.
const HTB: &str = "overhead = 14\nshaper = true\nburst = 1600\n";

/// The rate at which the router takes in what the bottleneck in front of it lets through: a segment
/// takes a microsecond longer than a ping. Any time above 0.15 us does; without it, each ping that
/// follows a segment ends a window of `autorate-ingress`, and the next one, of two segments in the
/// time of one, raises the estimate to 1.7 times the rate.
const RECEPTION: &str = "10gbit";

/// The run of a case: which seed, and which part has statistics.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// True to send super-packets.
    pub(super) offload: bool,
    pub(super) seed: u64,
    /// The time at which statistics begin, in seconds.
    pub(super) warmup_s: f64,
}

/// The scenario file of a case: clients, in front of the router perhaps a bottleneck, the router
/// with the queue in question, and servers.
pub(super) fn file(case: &Case, run: Run) -> Result<String, String> {
    let Case { name, duration_s, .. } = case;
    let Run { seed, warmup_s, .. } = run;
    let mut text = format!(
        "title = \"{name}\"\nduration = \"{duration_s}s\"\nwarmup = \"{warmup_s}s\"\nseed = {seed}\n"
    );
    text += &clients(case)?;
    text += &bottleneck(case)?;
    for server in hosts(case, |flow| flow.destination) {
        text += &format!(
            "[[link]]\nname = \"to-server-{server}\"\nfrom = \"exit\"\nto = \"server-{server}\"\n\
             queue = \"{NO_QUEUE}\"\n"
        );
    }
    let mut rng = Rng::new(seed).fork("starts");
    let mut start = |within: Span| Span::from_nanos(rng.below(within.as_nanos()));
    for (index, flow) in case.specs.iter().enumerate() {
        let begins = start(STARTED_WITHIN) + Span::from_secs_f64(flow.start_s);
        text += &self::flow(case, flow, index, begins, run.offload);
    }
    let every = Span::from_secs_f64(case.ping_interval_s);
    text += &ping(PING, Dscp::default(), every, start(every));
    for marked in case.settings.marked_pings()? {
        let name = format!("{PING}-{}", marked.label);
        text += &ping(&name, marked.dscp, MARKED_PING_EACH, start(MARKED_PING_EACH));
    }
    Ok(text)
}

/// The numbers of the hosts at one side; the first one pings and is pinged.
fn hosts(case: &Case, side: impl Fn(&FlowSpec) -> u32) -> Vec<u32> {
    let mut hosts: Vec<u32> = case.specs.iter().map(side).chain([1]).collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts
}

/// The links from the clients to the router.
fn clients(case: &Case) -> Result<String, String> {
    let settings = &case.settings;
    let mut text = String::new();
    let access = if settings.upstream_mbit().is_some() { "upstream" } else { "router" };
    let delay = if settings.is_delay_in_front() { case.base_rtt_ms } else { 0.0 };
    for client in hosts(case, |flow| flow.source) {
        text += &format!(
            "[[link]]\nname = \"from-client-{client}\"\nfrom = \"client-{client}\"\nto = \"{access}\"\n\
             queue = \"{NO_QUEUE}\"\ndelay = \"{delay}ms\"\n[link.reverse]\ndelay = \"0ms\"\n"
        );
    }
    if let Some(first) = settings.upstream_mbit() {
        let rate = rate(&case.schedule(first, settings.upstream_steps())?);
        let queue = in_linux(settings.upstream_queue());
        text += &format!(
            "[[link]]\nname = \"upstream\"\nfrom = \"upstream\"\nto = \"receiver\"\nrate = {rate}\n\
             queue = \"{queue}\"\n{HTB}[link.reverse]\nrate = \"unlimited\"\nshaper = false\n\
             queue = \"{NO_QUEUE}\"\n\
             [[link]]\nname = \"reception\"\nfrom = \"receiver\"\nto = \"router\"\n\
             rate = \"{RECEPTION}\"\nqueue = \"{NO_QUEUE}\"\n\
             [link.reverse]\nrate = \"unlimited\"\n"
        );
    }
    Ok(text)
}

/// The router's link to the servers: the queue in question, behind HTB unless it keeps the rate
/// itself. HTB lets a packet go at once and makes the next one wait.
fn bottleneck(case: &Case) -> Result<String, String> {
    let queue = queue(case);
    let mut text = format!(
        "[[link]]\nname = \"{LINK}\"\nfrom = \"router\"\nto = \"exit\"\nqueue = \"{queue}\"\n"
    );
    let shapes = case.shaper == "cake";
    if shapes {
        text += "overhead = 14\n";
    } else {
        text += &format!("rate = {}\n{HTB}", rate(&case.rates()?));
    }
    text += &way_back(case, shapes);
    if shapes {
        for (at, mbit) in case.rates()?.into_iter().skip(1) {
            text += &format!(
                "[[change]]\nat = \"{at}s\"\nlink = \"{LINK}\"\nqueue = \"cake bandwidth {mbit}mbit\"\n"
            );
        }
    }
    Ok(text)
}

/// The router's way back to the clients: HTB and a queue, or the base delay.
fn way_back(case: &Case, shapes: bool) -> String {
    let settings = &case.settings;
    let delay = if settings.is_delay_in_front() { 0.0 } else { case.base_rtt_ms };
    let text = format!("[link.reverse]\ndelay = \"{delay}ms\"\n");
    match settings.down_mbit() {
        Some(mbit) => {
            let queue = in_linux(settings.down_queue());
            let shaper = if shapes { "shaper = true\nburst = 1600\n" } else { "" };
            format!("{text}rate = \"{mbit}mbit\"\nqueue = \"{queue}\"\n{shaper}")
        }
        None if shapes => format!("{text}queue = \"{NO_QUEUE}\"\n"),
        None => format!("{text}rate = \"unlimited\"\nqueue = \"{NO_QUEUE}\"\nshaper = false\n"),
    }
}

fn rate(steps: &[(f64, f64)]) -> String {
    let step = |(at, rate): &(f64, f64)| format!("[\"{at}s\", \"{rate}mbit\"]");
    format!("[{}]", steps.iter().map(step).collect::<Vec<_>>().join(", "))
}

/// The queue in the syntax of a scenario, as in the kernel where the standard differs. The
/// reference lists the rate of CAKE last, or not at all, but gave it first, and `bandwidth` turns
/// `autorate-ingress` off.
pub(super) fn queue(case: &Case) -> String {
    let queue = in_linux(&case.params);
    if case.shaper != "cake" {
        return queue;
    }
    let options = queue.strip_prefix("cake").unwrap_or(&queue);
    let (options, framing) = options.split_once(" bandwidth ").unwrap_or((options, ""));
    let framing = framing.split_once(' ').map_or("", |(_rate, framing)| framing);
    let words = format!("cake bandwidth {}mbit {framing} {options}", case.rate_mbit);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn in_linux(params: &str) -> String {
    match params.split_whitespace().next() {
        Some("codel" | "red") => format!("{params} variant linux"),
        Some("fq_codel") => format!("{params} variant linux overflow linux"),
        // The reference's kernel ticks at 250 Hz, so that 15 ms become 16.
        Some("pie") if params.contains("tupdate") => format!("{params} variant linux"),
        Some("pie") => format!("{params} tupdate 16ms variant linux"),
        _ => params.to_owned(),
    }
}

fn flow(case: &Case, flow: &FlowSpec, index: usize, start: Span, offload: bool) -> String {
    let FlowSpec { source, destination, dscp, .. } = flow;
    let (client, server) = (format!("client-{source}"), format!("server-{destination}"));
    let (from, to) = if flow.is_download { (server, client) } else { (client, server) };
    let mut text = format!(
        "[[flow]]\nname = \"{FLOW}{index}\"\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{start}\"\n"
    );
    if let Some(duration_s) = flow.duration_s {
        text += &format!("stop = \"{}\"\n", start + Span::from_secs_f64(duration_s));
    }
    if *dscp != Dscp::default() {
        text += &format!("dscp = {}\n", dscp.bits());
    }
    text + &match &flow.transport {
        Transport::Tcp { congestion } => tcp(case, congestion.as_deref(), offload),
        Transport::Udp { rate_mbit, payload_bytes, .. } => format!(
            "traffic = \"cbr\"\nrate = \"{rate_mbit}mbit\"\npacket = \"{payload_bytes}B\"\n"
        ),
    }
}

/// A sender of iperf3: its first bytes are a cookie, and the rest waits for the server's reply. The
/// receiver's memory may grow to 64 MiB, half of which is window.
fn tcp(case: &Case, congestion: Option<&str>, offload: bool) -> String {
    let (congestion, ecn) = (congestion.unwrap_or(&case.cc), case.ecn == 1);
    let tick = if congestion == "cubic" { format!("tick = \"{TICK}\"\n") } else { String::new() };
    format!(
        "traffic = \"bulk\"\ncongestion = \"{congestion}\"\n{tick}ecn = {ecn}\n\
         receive_window = {{ auto = \"32MiB\" }}\noffload = {offload}\n\
         greeting = \"{COOKIE_BYTES}B\"\n"
    )
}

fn ping(name: &str, dscp: Dscp, interval: Span, start: Span) -> String {
    format!(
        "[[flow]]\nname = \"{name}\"\nfrom = \"client-1\"\nto = \"server-1\"\ntraffic = \"ping\"\n\
         start = \"{start}\"\ninterval = \"{interval}\"\ntimer = \"iputils\"\nbytes = 56\n\
         dscp = {}\n",
        dscp.bits()
    )
}
