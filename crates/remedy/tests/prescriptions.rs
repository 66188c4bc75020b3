//! Prescriptions for measured lines.

use observation::Heading;
use remedy::{Contradiction, LinkKind, Need, Prescription, Wishes};
use results::{
    Buffer, Caution, Certainty, DelaySpread, LoadedDirection, Measurement, NetworkPart, Offender,
    QueueFinding, QueueKind, Untreated,
};
use units::{Rate, Span};

/// A direction of this rate in Mbit/s, in which others waited so many milliseconds more.
fn direction(mbit: f64, p95: f64) -> LoadedDirection {
    LoadedDirection {
        rate_mbit: Some(mbit),
        added_delay_ms: DelaySpread { p95: Some(p95), ..DelaySpread::default() },
        certainty: Certainty {
            rate_mbit: Some([mbit * 0.98, mbit * 1.01]),
            ..Certainty::default()
        },
        saturated: true,
        ..LoadedDirection::default()
    }
}

fn measurement(up: LoadedDirection, down: LoadedDirection) -> Measurement {
    Measurement { upload: Some(up), download: Some(down), ..Measurement::default() }
}

fn prescription(measurement: &Measurement) -> Prescription {
    Prescription::of(Some(measurement), [None, None], &Wishes::default())
}

fn queue(kind: QueueKind) -> Option<QueueFinding> {
    Some(QueueFinding { kind, confidence: 0.9 })
}

#[test]
fn a_full_buffer_gets_a_shaper_below_its_rate() {
    let found = prescription(&measurement(direction(4.0, 900.0), direction(40.0, 300.0)));
    let (up, down) = (found.up.unwrap(), found.down.unwrap());
    assert_eq!(up.line, "4mbit".parse::<Rate>().unwrap());
    // 95 % of the packets, which are 44 bytes longer on the line.
    assert_eq!(up.bandwidth(), "3.91mbit".parse::<Rate>().unwrap());
    assert_eq!(down.bandwidth(), "39.1mbit".parse::<Rate>().unwrap());
    assert_eq!((up.heading, down.heading), (Heading::Up, Heading::Down));
    assert!(!up.ack_filter, "a tenth is not less than a tenth");
}

/// 33 cells of 53 bytes for a full packet with 44 bytes, and two for an acknowledgement.
#[test]
fn a_slow_line_that_nobody_named_may_have_cells() {
    let found = prescription(&measurement(direction(2.0, 900.0), direction(20.0, 300.0)));
    assert!(found.link.is_unknown());
    let (up, down) = (found.up.unwrap(), found.down.unwrap());
    assert!(up.cake().ends_with("overhead 44 mpu 84 atm"), "{}", up.cake());
    assert_eq!(up.bandwidth(), "2.21mbit".parse::<Rate>().unwrap());
    assert_eq!(down.bandwidth(), "22.1mbit".parse::<Rate>().unwrap());
    // One that is too fast for ADSL in either direction has none.
    for [up, down] in [[2.0, 26.0], [4.5, 20.0]] {
        let found = prescription(&measurement(direction(up, 900.0), direction(down, 300.0)));
        assert!(found.up.unwrap().cake().ends_with("noatm"));
    }
}

/// A queue that drops a quarter of all probes has no 95th percentile; its median is long enough.
#[test]
fn a_long_median_is_a_long_queue() {
    let spread = |p50| DelaySpread { p50: Some(p50), ..DelaySpread::default() };
    let of = |p50| LoadedDirection { added_delay_ms: spread(p50), ..direction(2.0, 0.0) };
    assert!(matches!(Need::of(&of(250.0)), Need::Shaper { .. }));
    assert_eq!(Need::of(&of(20.0)), Need::Nothing(Untreated::NotMeasured));
}

/// What a platform counts as the IP packet alone: full packets are 1518 of 1500 bytes on the line, and
/// acknowledgements 70 of 52.
#[test]
fn a_platform_without_framing_has_room_for_acknowledgements() {
    let rates = |up: u64, down: u64| [Some(Rate::from_mbit(up)), Some(Rate::from_mbit(down))];
    let wishes = Wishes { link: LinkKind::named("docsis"), ..Wishes::default() };
    let plain = |rates| {
        let found = Prescription::of(None, rates, &wishes);
        [found.up, found.down].map(|shaper| shaper.unwrap().plain_bandwidth(0).as_mbit_f64())
    };
    // As much up as down: one acknowledgement of 52 bytes for each two full packets.
    let part = |count: f64| {
        let full = 1.0 - count * 70.0 / 1518.0;
        (count * 52.0 + full * 1500.0) * 1518.0 / 1500.0 / (count * 70.0 + full * 1518.0)
    };
    let [up, down] = plain(rates(100, 100));
    assert!((up / (95.0 * part(0.5)) - 1.0).abs() < 0.006, "{up}");
    assert!(down <= up, "{down}");
    // Twenty times as much down: ten for each full packet, and their headers cost a tenth.
    let [up, _] = plain(rates(10, 200));
    assert!((up / (9.5 * part(10.0)) - 1.0).abs() < 0.006, "{up}");
    // Where the other direction is not known, the mixture is the simple IMIX.
    let [up, _] = [
        Prescription::of(None, [Some(Rate::from_mbit(10)), None], &wishes).up,
        Err(Untreated::NotMeasured),
    ];
    assert!(up.unwrap().plain_bandwidth(0).as_mbit_f64() < 9.3);
}

#[test]
fn acknowledgements_are_filtered_where_the_upload_is_less_than_a_tenth() {
    let found = prescription(&measurement(direction(1.9, 900.0), direction(20.0, 300.0)));
    assert!(found.up.unwrap().ack_filter);
    assert!(!found.down.unwrap().ack_filter);
    // The download is not shaped, and still has its rate.
    let found = prescription(&measurement(direction(1.9, 900.0), direction(20.0, 2.0)));
    assert!(found.up.unwrap().ack_filter);
    assert_eq!(found.down, Err(Untreated::ShortAlready { added_p95_ms: 2.0 }));
}

#[test]
fn what_a_shaper_cannot_help_is_left() {
    let long = || direction(20.0, 300.0);
    let cases = [
        (LoadedDirection { saturated: false, ..long() }, Untreated::NotFilled),
        (LoadedDirection { queue: queue(QueueKind::Policer), ..long() }, Untreated::Policed),
        (LoadedDirection { others_part: Some(0.4), ..long() }, Untreated::RateUnknown),
        (LoadedDirection { rate_mbit: None, ..long() }, Untreated::RateUnknown),
    ];
    for (direction, why) in cases {
        assert_eq!(Need::of(&direction), Need::Nothing(why));
    }
    let unsure = Certainty { rate_mbit: Some([10.0, 30.0]), ..Certainty::default() };
    let wide = LoadedDirection { certainty: unsure, ..long() };
    assert_eq!(Need::of(&wide), Need::Nothing(Untreated::RateUnknown));
    let partial = Measurement { partial: Some("stopped".into()), ..measurement(long(), long()) };
    assert_eq!(prescription(&partial).up, Err(Untreated::Partial));
    let nothing = prescription(&Measurement::default());
    assert_eq!(nothing.up, Err(Untreated::NotMeasured));
    assert!(nothing.cautions.is_empty());
}

/// The buffer drains at 20 Mbit/s, and the load filled the line half of the time.
#[test]
fn the_rate_is_that_at_which_the_buffer_drains() {
    let buffer = Buffer { bytes: Some(262_144.0), full_ms: Some(104.857_6), ..Buffer::default() };
    let starved = LoadedDirection { buffer: Some(buffer), ..direction(10.0, 100.0) };
    let Need::Shaper { line, .. } = Need::of(&starved) else { panic!("{starved:?}") };
    assert_eq!(line, Rate::from_mbit(20));
}

#[test]
fn a_rate_that_may_be_less_is_not_passed() {
    let unsure = Certainty { rate_mbit: Some([18.2, 20.5]), ..Certainty::default() };
    let down = LoadedDirection { certainty: unsure, ..direction(20.0, 300.0) };
    let found = prescription(&measurement(direction(10.0, 300.0), down));
    let share = found.down.unwrap().share;
    assert!((share - 0.91).abs() < 1e-9, "{share}");
    assert!((found.up.unwrap().share - 0.95).abs() < 1e-9);
}

#[test]
fn what_the_user_says_counts() {
    let measured = measurement(direction(2.0, 900.0), direction(20.0, 300.0));
    let wishes = Wishes {
        link: LinkKind::named("docsis"),
        rtt: Some(Span::from_millis(250)),
        ..Wishes::default()
    };
    let found = Prescription::of(Some(&measured), [None, Some(Rate::from_mbit(24))], &wishes);
    let (up, down) = (found.up.unwrap(), found.down.unwrap());
    assert_eq!((up.line, down.line), (Rate::from_mbit(2), Rate::from_mbit(24)));
    assert!(up.cake().ends_with("rtt 250ms overhead 18 mpu 64 noatm"), "{}", up.cake());
    assert!(found.cautions.is_empty(), "{:?}", found.cautions);
}

/// A satellite's round trip is longer than CAKE expects.
#[test]
fn a_long_path_gets_a_long_round_trip() {
    let far = Measurement {
        idle_ms: Some(603.0),
        ..measurement(direction(2.0, 900.0), direction(20.0, 300.0))
    };
    assert_eq!(prescription(&far).up.unwrap().rtt, Span::from_millis(610));
    let near = Measurement { idle_ms: Some(12.0), ..far };
    assert_eq!(prescription(&near).up.unwrap().rtt, Span::from_millis(100));
}

#[test]
fn doubts_are_told() {
    let slow = measurement(direction(0.8, 900.0), direction(8.0, 300.0));
    assert_eq!(prescription(&slow).cautions, [Caution::LinkUnknown, Caution::MaybeAtm]);
    let fast = measurement(direction(20.0, 2.0), direction(900.0, 300.0));
    let told = prescription(&fast).cautions;
    assert!(matches!(
        told[..],
        [Caution::LinkUnknown, Caution::Fast { .. }, Caution::OneDirection]
    ));
    let varied =
        LoadedDirection { queue: queue(QueueKind::VariableRate), ..direction(40.0, 300.0) };
    let away = |place, hop| Some(Offender { place, hop, confidence: 0.9, ..Offender::default() });
    let beyond =
        LoadedDirection { offender: away(NetworkPart::Beyond, Some(5)), ..direction(90.0, 300.0) };
    let told = prescription(&measurement(varied, beyond)).cautions;
    let expected = [Caution::LinkUnknown, Caution::Varies, Caution::BeyondLine { hop: Some(5) }];
    assert_eq!(told, expected);
    let here =
        LoadedDirection { offender: away(NetworkPart::OwnHost, None), ..direction(90.0, 300.0) };
    let told = prescription(&measurement(here, direction(90.0, 300.0))).cautions;
    assert!(told.contains(&Caution::BeforeRouter), "{told:?}");
    let shared = LoadedDirection { others_part: Some(0.2), ..direction(40.0, 300.0) };
    let told = prescription(&measurement(shared.clone(), direction(90.0, 300.0))).cautions;
    let faster = Caution::MaybeFaster { heading: Heading::Up, most_mbit: 50.0 };
    assert_eq!(told, [Caution::LinkUnknown, faster]);
    // Who names a rate far above the measured one may know better, or be wrong.
    let named = |mbit| {
        let measured = measurement(shared.clone(), direction(90.0, 300.0));
        let named = [Some(Rate::from_mbit(mbit)), None];
        Prescription::of(Some(&measured), named, &Wishes::default()).cautions
    };
    assert_eq!(named(48), [Caution::LinkUnknown]);
    let above = Caution::RateAbove { heading: Heading::Up, named_mbit: 60.0, measured_mbit: 40.0 };
    assert_eq!(named(60), [Caution::LinkUnknown, above]);
    let below = Caution::RateBelow { heading: Heading::Up, named_mbit: 32.0, measured_mbit: 40.0 };
    assert_eq!(named(33), [Caution::LinkUnknown]);
    assert_eq!(named(32), [Caution::LinkUnknown, below]);
}

/// A named rate may be the modem's sync rate; a test of the direction would show it.
#[test]
fn a_named_rate_that_no_test_confirms_is_doubtful() {
    let of = |measured: Option<&Measurement>, named: [u64; 2]| {
        let named = named.map(|mbit| (mbit > 0).then(|| Rate::from_mbit(mbit)));
        let wishes = Wishes { link: LinkKind::named("docsis"), ..Wishes::default() };
        Prescription::of(measured, named, &wishes).cautions
    };
    assert_eq!(of(None, [10, 50]), [Caution::RateUnconfirmed]);
    assert_eq!(of(None, [10, 0]), [Caution::RateUnconfirmed, Caution::OneDirection]);
    assert_eq!(of(None, [0, 0]), []);
    let measured = measurement(direction(10.0, 300.0), direction(50.0, 300.0));
    assert_eq!(of(Some(&measured), [10, 50]), []);
}

/// A load that does not fill the line shows how much it carries at least.
#[test]
fn a_named_rate_is_not_less_than_what_passed() {
    let part = LoadedDirection { saturated: false, ..direction(20.0, 2.0) };
    let of = |mbit| Contradiction::of(Rate::from_mbit(mbit), &part);
    assert_eq!(of(10), Some(Contradiction::Below(Rate::from_mbit(20))));
    assert_eq!([of(20), of(100)], [None; 2]);
}
