//! Prints what a test saw.
use measure::client::*;
use results::observation::*;
use units::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (host, port) = parse_server(&args[1]).unwrap();
    let mut plan = match args.get(2).map(String::as_str) {
        Some("up") => Plan::test(Directions::Only(Heading::Up), Span::from_secs(20)),
        Some("down") => Plan::test(Directions::Only(Heading::Down), Span::from_secs(20)),
        Some("rrul") => Plan::rrul(Span::from_secs(10)),
        _ => Plan::test(Directions::Both, Span::from_secs(20)),
    };
    if let Some(cc) = args.get(3) {
        plan.flows.congestion = cc.split(',').map(str::to_owned).collect();
    }
    if let Some(n) = args.get(4) {
        plan = plan.with_flows(n.parse().unwrap());
    }
    let mut last = Span::ZERO;
    let out = run(&plan, &Server { host, port, token: None }, &mut |p| {
        if p.elapsed >= last + Span::from_millis(500) {
            last = p.elapsed;
            eprintln!(
                "{:6.2} {:?} up {:?} {:?} down {:?} {:?}",
                p.elapsed.as_secs_f64(),
                p.load,
                p.up.rate.map(|r| r.as_mbit_f64()),
                p.up.added.map(|s| s.as_millis_f64()),
                p.down.rate.map(|r| r.as_mbit_f64()),
                p.down.added.map(|s| s.as_millis_f64())
            );
        }
        true
    });
    let out = match out {
        Ok(out) => out,
        Err(e) => {
            eprintln!("error: {e}");
            std::process::exit(1)
        }
    };
    println!(
        "server {:?} duration {:.2} partial {:?}",
        out.server,
        out.duration.as_secs_f64(),
        out.partial
    );
    let o = &out.observations;
    for s in &o.stages {
        println!(
            "stage {:?} {:.2}..{:.2} {:?}",
            s.load,
            s.start.as_secs_f64(),
            s.end.as_secs_f64(),
            s.ended
        );
    }
    for p in &o.probes {
        let n = p.probes.len();
        let ret = p.probes.iter().filter(|p| p.returned.is_some()).count();
        let reached = p.probes.iter().filter(|p| p.reached.is_some()).count();
        println!(
            "stream dscp {} bytes {} n {n} reached {reached} returned {ret}",
            p.dscp, p.bytes.0
        );
        let up: Vec<(Time, i64)> = p
            .probes
            .iter()
            .filter_map(|p| Some((p.sent, p.reached?.as_nanos() as i64 - p.sent.as_nanos() as i64)))
            .collect();
        let down: Vec<(Time, i64)> = p
            .probes
            .iter()
            .filter_map(|p| {
                Some((p.sent, p.returned?.as_nanos() as i64 - p.answered?.as_nanos() as i64))
            })
            .collect();
        for s in &o.stages {
            let stat = |v: &Vec<(Time, i64)>| {
                let min = v.iter().map(|x| x.1).min().unwrap_or(0);
                let mut w: Vec<f64> = v
                    .iter()
                    .filter(|x| x.0 >= s.start && x.0 < s.end)
                    .map(|x| (x.1 - min) as f64 / 1e6)
                    .collect();
                w.sort_by(f64::total_cmp);
                if w.is_empty() {
                    return "-".into();
                }
                let q = |p: f64| w[((w.len() - 1) as f64 * p) as usize];
                format!(
                    "n {} p50 {:.2} p95 {:.2} p99 {:.2} max {:.2}",
                    w.len(),
                    q(0.5),
                    q(0.95),
                    q(0.99),
                    q(1.0)
                )
            };
            println!("  {:?}: up {} | down {}", s.load, stat(&up), stat(&down));
        }
    }
    for f in &o.flows {
        let r = f.received.last().map(|r| (r.bytes.0, r.segments));
        let s = f.sender.last();
        println!(
            "flow {:?} {} dscp {} {:.2}..{:.2} receipts {} {:?} samples {} cwnd {:?} srtt {:?} min {:?} rtx {:?}/{:?} mss {:?} busy {:?} rwl {:?} sbl {:?}",
            f.heading,
            f.congestion,
            f.dscp,
            f.start.as_secs_f64(),
            f.stop.as_secs_f64(),
            f.received.len(),
            r,
            f.sender.len(),
            s.map(|s| s.cwnd),
            s.map(|s| s.srtt.map(|x| x.as_millis_f64())),
            s.map(|s| s.min_rtt.map(|x| x.as_millis_f64())),
            s.map(|s| s.retransmitted),
            s.map(|s| s.sent),
            s.map(|s| s.mss),
            s.map(|s| s.busy.as_secs_f64()),
            s.map(|s| s.receiver_limited.as_secs_f64()),
            s.map(|s| s.buffer_limited.as_secs_f64())
        );
    }
    let mut c: Vec<f64> = o.foreign.iter().map(|f| f.connect.as_millis_f64()).collect();
    c.sort_by(f64::total_cmp);
    println!("foreign {} median connect {:?}", c.len(), c.get(c.len() / 2));
    let late = o.host.iter().map(|h| h.lateness).max();
    let own = o.host.iter().filter_map(|h| h.own).fold(0.0, f64::max);
    println!(
        "host {} worst lateness {:?} own max {own:.2} rebinds {:?} others {}",
        o.host.len(),
        late.map(|l| l.as_millis_f64()),
        o.rebinds,
        o.other_tests
    );
}
