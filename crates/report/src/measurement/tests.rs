use observation::Heading;
use results::{
    Claim, Finding, FindingKind, Grade, Hop, Limit, LoadedDirection, Measurement, NetworkPart,
    OwnInterface, QueueFinding, QueueKind, Remark,
};

use super::example::{bloated, cured, partial, policed, unfilled, wireless};
use super::*;
use crate::text::width;
use crate::{Style, WIDTH};

fn said(measurement: &Measurement) -> String {
    remarks::paragraphs(&measurement_verdict(measurement)).join("\n")
}

fn advised(measurement: &Measurement, claim: Claim) -> Option<Remark> {
    measurement_advice(measurement).into_iter().find(|remark| remark.name == claim)
}

/// The examples in the issue and in the documentation.
#[test]
fn a_bloated_line_is_told_in_words() {
    let sentences = measurement_verdict(&bloated());
    let of = |heading| {
        let about = sentences.iter().filter(|remark| remark.heading == Some(heading));
        about.map(|remark| remark.text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(
        of(Heading::Up),
        [
            "Uploading adds up to 1.05 s of delay: bufferbloat, grade F.",
            "The queue is a plain FIFO, limited in bytes.",
            "The buffer holds 256 KiB.",
            "The queue is in your router or modem (hop 1).",
            "A call during an upload breaks up.",
            "A game answers after 1.07 s.",
            "A web page that needs ten round trips takes 10.4 s.",
        ]
    );
    assert_eq!(
        of(Heading::Down)[0],
        "Downloading adds up to 105 ms of delay: some bufferbloat, grade C."
    );
    let numbers: Vec<(Claim, &str)> =
        sentences[11..].iter().map(|remark| (remark.name, remark.text.as_str())).collect();
    assert_eq!(
        numbers,
        [
            (Claim::Lag, "Lag: 1.07 s."),
            (Claim::Idle, "Idle round trip: 20 ms."),
            (Claim::Responsiveness, "Responsiveness: 57 round trips a minute."),
            (Claim::Grade, "Grade: F."),
        ]
    );
    let shape = advised(&bloated(), Claim::Shape).unwrap();
    let words = "Shape the download to 19 Mbit/s of packets with CAKE on the router, a little below the \
                 line's 20 Mbit/s.";
    assert!(shape.text.starts_with(words), "{shape:?}");
    // The rate of the plan that the command below prints: CAKE's own has three digits.
    assert!(shape.rate_mbit.is_some_and(|mbit| (18.9..19.0).contains(&mbit)), "{shape:?}");
    let plan = advised(&bloated(), Claim::Plan).unwrap();
    let command = "unbloat fix --down 20mbit --up 2mbit --for openwrt --link docsis";
    assert_eq!(plan.commands, [command]);
}

#[test]
fn a_cured_line_is_praised() {
    let said = said(&cured());
    assert!(
        said.starts_with("Cured: there is nothing to fix. However busy the line is, it adds at")
    );
    assert!(said.contains("The queue is a fair queue: each connection has its own"), "{said}");
    assert_eq!(measurement_advice(&cured()), []);
    // Without a managed queue the line is only called healthy.
    let mut plain = cured();
    for direction in [&mut plain.download, &mut plain.upload].into_iter().flatten() {
        direction.queue = Some(QueueFinding { kind: QueueKind::Fifo, confidence: 0.9 });
    }
    assert_eq!(measurement_verdict(&plain)[0].name, Claim::Healthy);
}

/// Many drops, a kind of queue that is only likely, a long delay while both directions are loaded,
/// and any other finding: each prevents that a line is called cured.
#[test]
fn nothing_is_called_cured_that_may_not_be() {
    let upload = |measurement: &mut Measurement, change: fn(&mut LoadedDirection)| {
        change(measurement.upload.as_mut().unwrap());
    };
    let first = |change: fn(&mut LoadedDirection)| {
        let mut measurement = cured();
        upload(&mut measurement, change);
        measurement_verdict(&measurement)[0].name
    };
    assert_eq!(first(|_| {}), Claim::Cured);
    assert_eq!(first(|up| up.retransmitted = Some(0.17)), Claim::AddedDelay);
    // The reason is given.
    let mut dropping = cured();
    upload(&mut dropping, |up| (up.loss, up.retransmitted) = (Some(0.0), Some(0.24)));
    let why = "24 % of its own packets were sent again: the queue keeps the delay short by dropping \
               packets, and what it drops must be sent again.";
    assert!(said(&dropping).contains(why), "{}", said(&dropping));
    assert!(!said(&cured()).contains("sent again"));
    // What a cable loses keeps no queue short.
    let upload = dropping.upload.as_mut().unwrap();
    let kind = FindingKind::RandomLoss;
    upload.findings.push(Finding { kind, amount: None, confidence: 0.9 });
    assert!(!said(&dropping).contains("by dropping packets"), "{}", said(&dropping));
    let only_likely = |up: &mut LoadedDirection| {
        up.queue = Some(QueueFinding { kind: QueueKind::Aqm, confidence: 0.8 });
    };
    assert_eq!(first(only_likely), Claim::Healthy);
    let policed = |up: &mut LoadedDirection| {
        up.queue = Some(QueueFinding { kind: QueueKind::Policer, confidence: 0.95 });
        (up.loss, up.retransmitted) = (None, None);
    };
    assert!(![Claim::Cured, Claim::Healthy].contains(&first(policed)));
    let favoured = |up: &mut LoadedDirection| up.findings.push(found(FindingKind::ProbesFavoured));
    assert!(![Claim::Cured, Claim::Healthy].contains(&first(favoured)));
    let mut both = cured();
    both.both = bloated().both;
    assert_eq!(measurement_verdict(&both)[0].name, Claim::AddedDelay);
}

fn found(kind: FindingKind) -> Finding {
    Finding { kind, amount: Some(4.5), confidence: 0.95 }
}

/// If something else was the limit, or others used the line, no shaper is advised for the rest.
#[test]
fn advice_is_for_the_line_alone() {
    let names = |change: fn(&mut LoadedDirection)| {
        let mut measurement = bloated();
        (measurement.download, measurement.both) = (None, None);
        change(measurement.upload.as_mut().unwrap());
        measurement_advice(&measurement).iter().map(|remark| remark.name).collect::<Vec<_>>()
    };
    assert_eq!(names(|_| {})[0], Claim::Shape);
    for kind in [FindingKind::ServerRate, FindingKind::EndLimits, FindingKind::MachineLimits] {
        assert_eq!(names_with(kind), [], "{kind:?}");
    }
    assert_eq!(names_with(FindingKind::OtherTraffic), [Claim::PauseOthers]);
    assert_eq!(names_with(FindingKind::RateChanged), [Claim::RateUnknown]);
    let policed = |up: &mut LoadedDirection| {
        up.queue = Some(QueueFinding { kind: QueueKind::Policer, confidence: 0.95 });
    };
    assert_eq!(names(policed), [Claim::ShapeToContract]);
    assert_eq!(names(|up| up.saturated = false), []);
    assert_eq!(names(|up| up.others_part = Some(0.1))[0], Claim::Shape);
    assert_eq!(names(|up| up.others_part = Some(0.4)), [Claim::RateUnknown]);
    assert_eq!(names(|up| up.certainty.rate_mbit = Some([1.2, 2.1])), [Claim::RateUnknown]);
}

/// The rate of the load is known. The advice says what it leaves open, and why.
#[test]
fn a_rate_that_may_not_be_that_of_the_line_is_told_with_the_reason() {
    let said = |change: &dyn Fn(&mut LoadedDirection)| {
        let mut measurement = bloated();
        (measurement.download, measurement.both) = (None, None);
        change(measurement.upload.as_mut().unwrap());
        advised(&measurement, Claim::RateUnknown).unwrap().text
    };
    let shared = said(&|up| up.others_part = Some(0.4));
    assert_eq!(
        shared,
        "The test had 2 Mbit/s of the upload. Others may have had up to 40 % of the line at the \
         same time, so the line may carry more. Before you shape the upload, test again when nobody \
         else uses the line."
    );
    let unsure = said(&|up| up.certainty.rate_mbit = Some([1.2, 2.1]));
    assert!(unsure.contains(" may find any rate from 1.2 Mbit/s to 2.1 Mbit/s, "), "{unsure}");
    let changed = said(&|up| up.findings.push(found(FindingKind::RateChanged)));
    assert!(changed.contains(", but the rate changed during the test. "), "{changed}");
    let perhaps = |kind| Finding { confidence: 0.5, ..found(kind) };
    let favoured = said(&|up| up.findings.push(perhaps(FindingKind::ProbesFavoured)));
    assert!(favoured.contains(" Probes may have bypassed the queue, "), "{favoured}");
}

fn names_with(kind: FindingKind) -> Vec<Claim> {
    let mut measurement = bloated();
    (measurement.download, measurement.both) = (None, None);
    measurement.upload.as_mut().unwrap().findings.push(found(kind));
    let said = measurement_verdict(&measurement);
    if kind.forbids_kind() {
        let claims: Vec<Claim> = said.iter().map(|remark| remark.name).collect();
        let kinds = [Claim::Kind, Claim::AddedDelay, Claim::Buffer, Claim::Page, Claim::Cured];
        assert!(claims.iter().all(|claim| !kinds.contains(claim)), "{claims:?}");
    }
    measurement_advice(&measurement).iter().map(|remark| remark.name).collect()
}

/// Small packets are lost as large ones are, or more or less often.
#[test]
fn losses_of_probes_and_of_the_load_are_told_apart() {
    let lost = |probes, segments| -> Vec<(Claim, Option<f64>, String)> {
        let mut measurement = bloated();
        let up = measurement.upload.as_mut().unwrap();
        (up.loss, up.retransmitted) = (Some(probes), Some(segments));
        up.certainty.loss = Some([probes / 2.0, probes * 1.5]);
        let said = measurement_verdict(&measurement).into_iter();
        let said = said.filter(|remark| matches!(remark.name, Claim::Loss | Claim::SentAgain));
        said.map(|remark| (remark.name, remark.part, remark.text)).collect()
    };
    let small =
        "While the upload was loaded, 10 % to 30 % of the small packets beside it were lost.";
    let large = "While the upload was loaded, 30 % of its own packets were sent again.";
    let (small, large) =
        ((Claim::Loss, Some(0.1), small.into()), (Claim::SentAgain, Some(0.3), large.into()));
    assert_eq!(lost(0.2, 0.3), [small.clone(), large.clone()]);
    assert_eq!(lost(0.2, 0.01), [small]);
    assert_eq!(lost(0.0, 0.3), [large]);
    assert_eq!(lost(0.0, 0.01), []);
}

/// On a path without a router, the next hop is the server.
#[test]
fn where_the_next_hop_is_the_server_no_router_has_the_queue() {
    let mut measurement = bloated();
    let hop = Hop { hop: 1, is_server: true, ..Hop::default() };
    measurement.hops = vec![hop];
    for (direction, hop) in [(&mut measurement.download, 1), (&mut measurement.upload, 0)] {
        let offender = direction.as_mut().unwrap().offender.as_mut().unwrap();
        (offender.hop, offender.place) = (Some(hop), NetworkPart::FirstHop);
    }
    let said = said(&measurement);
    assert!(said.contains("The queue is in or next to the server (hop 1)."), "{said}");
    assert!(!said.contains("router"), "{said}");
    let advice = measurement_advice(&measurement);
    let place = |heading| {
        let of = |it: &&Remark| it.name == Claim::Shape && it.heading == Some(heading);
        advice.iter().find(of).unwrap().text.clone()
    };
    let (down, up) = (place(Heading::Down), place(Heading::Up));
    assert!(down.contains(" with CAKE on the server, or on a router before it, "), "{down}");
    assert!(up.contains(" with CAKE on this computer, "), "{up}");
}

/// Delays of a path that was never seen without a queue are lower bounds, and packets that bypass
/// the queue show no delay.
#[test]
fn delays_are_told_as_what_they_are() {
    let mut measurement = bloated();
    measurement.limits.push(Limit::NeverIdle { heading: Heading::Up });
    let text = said(&measurement);
    assert!(text.contains("of delay or more: bufferbloat, grade F"), "{text}");
    measurement.upload.as_mut().unwrap().findings.push(found(FindingKind::ProbesFavoured));
    assert!(!said(&measurement).contains("of delay or more"));
    measurement.limits.push(Limit::LoadedBefore { heading: Heading::Up, delay_ms: 50.0 });
    assert!(!said(&measurement).contains("Idle round trip"));
}

/// A present shaper is kept.
#[test]
fn a_shaper_of_our_own_is_never_deleted() {
    let advised = |qdisc: &str| {
        let mut measurement = bloated();
        (measurement.download, measurement.both) = (None, None);
        let offender = measurement.upload.as_mut().unwrap().offender.as_mut().unwrap();
        (offender.hop, offender.place) = (Some(0), NetworkPart::OwnHost);
        let qdisc = Some(qdisc.to_owned());
        measurement.interface =
            Some(OwnInterface { name: "eth0".into(), qdisc, ..OwnInterface::default() });
        let advice = measurement_advice(&measurement).remove(0);
        (advice.name, advice.commands)
    };
    for shaper in ["htb", "tbf", "cake", "hfsc"] {
        let (claim, commands) = advised(shaper);
        assert_eq!(claim, Claim::KeepShaper);
        let deletes = |line: &String| line.contains(" del ") || line.contains(" root ");
        assert!(!commands.iter().any(deletes), "{commands:?}");
    }
    assert_eq!(advised("fq_codel").0, Claim::BelowFairQueue);
    // If the interface's queue is not known, nothing is deleted.
    let mut unknown = bloated();
    (unknown.download, unknown.both, unknown.interface) = (None, None, None);
    for place in [NetworkPart::OwnHost, NetworkPart::FirstHop] {
        let offender = unknown.upload.as_mut().unwrap().offender.as_mut().unwrap();
        (offender.hop, offender.place) = (Some(0), place);
        let commands: Vec<String> =
            measurement_advice(&unknown).into_iter().flat_map(|advice| advice.commands).collect();
        assert!(!commands.is_empty());
        let replaces = |line: &String| line.contains(" del ") || line.contains(" replace ");
        assert!(!commands.iter().any(replaces), "{commands:?}");
    }
    // Right behind an interface without a shaper only this computer can shape.
    let mut behind = bloated();
    (behind.download, behind.both) = (None, None);
    let offender = behind.upload.as_mut().unwrap().offender.as_mut().unwrap();
    (offender.hop, offender.place) = (Some(0), NetworkPart::FirstHop);
    let advice = measurement_advice(&behind).remove(0);
    assert!(advice.name == Claim::Shape && advice.text.contains("this computer"), "{advice:?}");
    let (claim, commands) = advised("pfifo_fast");
    assert_eq!(claim, Claim::FairQueue);
    assert_eq!(commands[1], "sudo tc qdisc add dev eth0 root fq_codel");
}

#[test]
fn what_is_no_plain_queue_is_told_as_what_it_is() {
    let policed = said(&policed());
    assert!(
        policed.contains("A policer limits the download: 3.4 % of the packets are dropped instead"),
        "{policed}"
    );
    assert!(policed.contains("The test got 10 Mbit/s through."), "{policed}");
    let wireless = said(&wireless());
    assert!(
        wireless.contains("The rate of the download is variable: the line is sometimes faster"),
        "{wireless}"
    );
}

/// A varying rate does not prove a radio: a shaper or a neighbour may cause the same.
#[test]
fn a_rate_that_varies_is_not_said_to_be_a_radios() {
    let kinds = measurement_verdict(&wireless()).into_iter().filter(|one| one.name == Claim::Kind);
    let texts: Vec<String> = kinds.map(|kind| kind.text).collect();
    assert!(texts.len() == 1 && !texts[0].contains("Wi-Fi"), "{texts:?}");
}

/// The bounds of G.107 annex B.
#[test]
fn a_call_is_as_good_as_ever_only_where_nearly_nothing_is_added() {
    let told = |opinion| {
        let mut measurement = bloated();
        measurement.effects.as_mut().unwrap().call_mos = Some(opinion);
        let call =
            measurement_verdict(&measurement).into_iter().find(|one| one.name == Claim::Call);
        call.unwrap().text
    };
    assert_eq!(told(4.35), "A call during an upload is as good as ever.");
    // 210 ms of delay, and nothing lost.
    assert_eq!(told(4.1), "A call during an upload is still good.");
    assert_eq!(told(3.7), "A call during an upload still works.");
}

/// Dropped packets do not wait, so a short delay with many drops is not praised, and no time for a
/// page is given.
#[test]
fn a_policer_is_not_called_healthy() {
    let mut measurement = policed();
    measurement.download.as_mut().unwrap().retransmitted = Some(0.25);
    measurement.effects = bloated().effects;
    let verdict = measurement_verdict(&measurement);
    assert_eq!(verdict[0].text, "Downloading adds up to 3.0 ms of delay, grade A+.");
    assert!(verdict.iter().all(|remark| remark.name != Claim::Page), "{verdict:#?}");
    let mut dropping = bloated();
    dropping.upload.as_mut().unwrap().retransmitted = Some(0.25);
    assert!(said(&dropping).contains("bufferbloat, grade F"), "{}", said(&dropping));
    assert!(said(&dropping).contains("A web page"), "{}", said(&dropping));
}

/// RRUL on a line on which one direction starves the other: a buffer that was full at times has
/// shown its size, so no delay above it is claimed.
#[test]
fn what_was_full_at_times_is_not_said_to_add_more() {
    let told = |at_least| {
        let mut measurement = bloated();
        let download = measurement.download.as_mut().unwrap();
        (download.saturated, download.grade) = (false, None);
        download.grade_reason = Some(results::Ungraded::NotFilled);
        download.buffer.as_mut().unwrap().full_ms = Some(104.3);
        download.buffer.as_mut().unwrap().at_least = at_least;
        let verdict = measurement_verdict(&measurement).into_iter();
        let verdict = verdict.filter(|remark| remark.heading == Some(Heading::Down));
        verdict.map(|remark| remark.name).collect::<Vec<_>>()
    };
    assert_eq!(told(false), [Claim::AddedDelay, Claim::Reached, Claim::FullBuffer]);
    assert_eq!(told(true), [Claim::AddedDelay, Claim::Reached, Claim::NotFilled]);
}

/// The load's own round trips do not measure the delay of others.
#[test]
fn without_any_probe_no_delay_is_told() {
    let mut measurement = bloated();
    let upload = measurement.upload.as_mut().unwrap();
    upload.added_delay_ms = Default::default();
    upload.flow_delay_ms.p95 = Some(214.0);
    let verdict = measurement_verdict(&measurement);
    let remark = verdict.into_iter().find(|remark| remark.name == Claim::NoDelay).unwrap();
    assert_eq!(
        remark.text,
        "Too few probes came through the upload to measure how long others \
         wait."
    );
    assert_eq!(remark.delay_ms, None);
    measurement.upload.as_mut().unwrap().added_delay_ms.p50 = Some(18.0);
    assert!(said(&measurement).contains("to know the 95th percentile"), "{}", said(&measurement));
}

/// No lag is given if the server was the limit, or if packets bypass the queue.
#[test]
fn a_lag_is_that_of_the_line() {
    let has_lag = |kind: Option<FindingKind>| {
        let mut measurement = bloated();
        measurement.upload.as_mut().unwrap().findings.extend(kind.map(found));
        measurement_verdict(&measurement).iter().any(|remark| remark.name == Claim::Lag)
    };
    assert!(has_lag(None) && has_lag(Some(FindingKind::RandomLoss)));
    for kind in [FindingKind::ServerRate, FindingKind::EndLimits, FindingKind::ProbesFavoured] {
        assert!(!has_lag(Some(kind)), "{kind:?}");
    }
}

#[test]
fn a_test_that_was_the_limit_says_so() {
    let said = said(&unfilled());
    assert!(said.contains("The test did not fill the upload"), "{said}");
    assert!(!said.contains("Healthy"), "{said}");
    let text = measurement_text(&unfilled(), Style::Plain);
    assert!(
        text.contains("\nLimits of this test:\n  A processor of this computer was 98 % busy"),
        "{text}"
    );
}

#[test]
fn of_what_too_little_is_known_nothing_is_claimed() {
    let mut measurement = unfilled();
    let unknown = QueueFinding { kind: QueueKind::Unknown, confidence: 0.0 };
    measurement.upload.as_mut().unwrap().queue = Some(unknown);
    let names: Vec<Claim> =
        measurement_verdict(&measurement).iter().map(|remark| remark.name).collect();
    assert!(!names.contains(&Claim::NotFilled) && !names.contains(&Claim::Kind), "{names:?}");
}

#[test]
fn a_part_of_a_test_says_so_first() {
    let sentences = measurement_verdict(&partial());
    assert_eq!(sentences[0].text, "The test is incomplete: the server was lost after 9 s.");
    assert_eq!(sentences[1].name, Claim::AddedDelay);
    let nothing = Measurement { partial: Some("no route".into()), ..Measurement::default() };
    assert_eq!(measurement_verdict(&nothing)[1].name, Claim::NothingLoaded);
}

#[test]
fn a_place_that_cannot_be_told_is_not_told() {
    let mut measurement = bloated();
    let upload = measurement.upload.as_mut().unwrap();
    let offender = upload.offender.as_mut().unwrap();
    (offender.hop, offender.evidence) = (None, "no router answers.".into());
    let said = said(&measurement);
    assert!(said.contains("The place of the queue is not known: no router answers."), "{said}");
}

#[test]
fn tables_fit() {
    for measurement in [bloated(), cured(), policed(), wireless(), unfilled(), partial()] {
        let text = measurement_text(&measurement, Style::Plain);
        let is_command = |line: &&str| line.trim_start().starts_with("sudo ");
        for line in text.lines().filter(|line| !is_command(line)) {
            assert!(width(line) <= WIDTH, "{line}");
        }
    }
    let table = measurement_table(&bloated(), Style::Plain);
    let upload = table.lines().find(|line| line.starts_with("upload")).unwrap();
    let cells: Vec<&str> = upload.split_whitespace().collect();
    assert_eq!(
        cells,
        "upload 2.00 975 1,049 1,049 1,050 0.4 256 KiB byte FIFO 95 1 57 F"
            .split(' ')
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_page_has_all_of_it() {
    let page = measurement_page(&bloated());
    assert_eq!(page.title, "test against server.example (192.0.2.1:7007)");
    let titles: Vec<&str> = page.tables.iter().map(|table| table.title.as_str()).collect();
    assert_eq!(titles, ["Directions", "Hops"]);
    assert_eq!(page.advice[0].title, "What to do");
    assert!(page.is_rest_folded);
    let ids: Vec<&str> = page.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, MEASUREMENT_FIGURES);
    let empty = measurement_page(&Measurement::default());
    assert!(empty.figures.is_empty() && empty.tables.is_empty());
}

#[test]
fn the_document_reads_back() {
    for measurement in [bloated(), cured(), unfilled()] {
        let text = crate::json(&measurement);
        assert!(text.starts_with("{\n  \"schema\": \"unbloat.measurement\",\n  \"version\": 2,"));
        assert_eq!(serde_json::from_str::<Measurement>(&text).unwrap(), measurement);
    }
}

/// Whatever an untrusted document holds, the output has no infinite numbers and no control
/// sequences.
#[test]
fn strange_documents_do_no_harm() {
    let mut measurement = bloated();
    measurement.server = "\u{1b}[2J".into();
    measurement.duration_s = f64::INFINITY;
    let upload = measurement.upload.as_mut().unwrap();
    upload.rate_mbit = Some(f64::NAN);
    upload.added_delay_ms.p95 = Some(f64::INFINITY);
    upload.buffer.as_mut().unwrap().bytes = Some(f64::NAN);
    upload.grade = Some(Grade::F);
    upload.congestion = "\n\u{202e}".into();
    measurement.limits = vec![Remark::new(Claim::Other, "\u{1b}]0;x").into()];
    let series = measurement.series.as_mut().unwrap();
    series.stages[1].end_s = f64::NAN;
    series.flows[0].at_s[3] = -1e300;
    series.probes[0].round_trip_ms[5] = Some(f64::NEG_INFINITY);
    let text = measurement_text(&measurement, Style::Plain);
    assert!(!text.contains('\u{1b}') && !text.contains("inf") && !text.contains("NaN"), "{text}");
    let page = measurement_page(&measurement);
    let all = crate::html(&page) + &crate::svg(&page.figures);
    assert!(!all.contains('\u{1b}'));
}

/// The longest delay is that of a full buffer only if the buffer was full.
#[test]
fn what_a_full_buffer_adds_takes_a_known_size() {
    let claims = |at_least| {
        let mut measurement = bloated();
        let upload = measurement.upload.as_mut().unwrap();
        let buffer = upload.buffer.as_mut().unwrap();
        (buffer.full_ms, buffer.at_least) = (Some(3000.0), at_least);
        measurement_verdict(&measurement).into_iter().map(|remark| remark.name).collect::<Vec<_>>()
    };
    assert!(claims(false).contains(&Claim::FullBuffer));
    assert!(!claims(true).contains(&Claim::FullBuffer));
}
