use results::FlowKind;
use units::Bytes;

use super::*;
use crate::example::home_over_time;

const LOAD: u32 = 0;
const CALL: u32 = 1;

fn at(millis: u64) -> Time {
    Time::ZERO + Span::from_millis(millis)
}

fn stay(flow: u32, offered: u64, left: u64) -> Stay {
    Stay { flow, bytes: Bytes(1500), offered: at(offered), left: at(left), is_dropped: false }
}

/// Packets of a load that come each 6 ms and wait for `wait` ms, and one of a call each 100 ms.
fn window(from: u64, wait: u64) -> QueueWindow {
    let load = (0..800).map(|index| stay(LOAD, from + index * 6, from + index * 6 + wait));
    let call = (0..48).map(|index| stay(CALL, from + index * 100, from + index * 100 + wait));
    let mut stays: Vec<Stay> = load.chain(call).collect();
    stays.sort_by_key(|stay| stay.left);
    QueueWindow { from: at(from), to: at(from + 5000), stays }
}

fn run(queue: &str) -> (String, Document) {
    let document = home_over_time(queue, 100.0);
    assert_eq!(document.flows["call"].kind, FlowKind::Cbr);
    (queue.into(), document)
}

#[test]
fn the_stretch_is_around_the_packet_that_waits_longest() {
    let runs = [run("pfifo"), run("codel"), run("fq_codel")];
    let windows = [
        vec![window(10_000, 500), window(20_000, 900), window(30_000, 700)],
        vec![window(10_000, 60), window(20_000, 70), window(30_000, 60)],
        vec![window(10_000, 12), window(20_000, 18), window(30_000, 12)],
    ];
    let scene = queue_scene(&runs, &windows, "uplink", Way::Forward).unwrap();
    let names: Vec<&str> = scene.queues.iter().map(|queue| queue.name.as_str()).collect();
    assert_eq!(names, ["pfifo", "fq_codel"], "the worst and the best");
    assert_eq!((scene.from_s, scene.length_us), (20.0, 1_350_000));
    assert!((scene.packet_us - 6000.0).abs() < 1e-6);
    assert_eq!(scene.slowed, 5);
    // 150 packets of the load and nine of the call.
    assert_eq!(scene.most, 159);
    assert!(scene.still_us > 0 && scene.still_us < scene.length_us);
    assert!(scene.queues[0].packets.is_sorted_by_key(|packet| packet.left_us));
    let calls = scene.queues[0].packets.iter().filter(|packet| packet.is_other).count();
    assert_eq!(calls, 14);
    let caption = "Up to 159 packets at once; a circle waits up to 900 ms.";
    assert_eq!(scene.queues[0].caption, caption);
    for part in [
        "uplink sends them one after the other",
        "Squares are packets of backup, circles those of call.",
        "This is 1.35 s of the run, from 20.0 s on, shown 5 times slower. The run recorded 3 such intervals",
    ] {
        assert!(scene.explanation.contains(part), "{part}: {}", scene.explanation);
    }
}

#[test]
fn a_run_alone_has_one_queue_and_drops_are_told() {
    let mut only = window(10_000, 300);
    only.stays[40].is_dropped = true;
    let scene = queue_scene(&[run("pfifo")], &[vec![only]], "uplink", Way::Forward).unwrap();
    assert_eq!(scene.queues.len(), 1);
    assert_eq!(scene.title, "The queue, packet by packet");
    assert_eq!(scene.queues[0].name, "pfifo");
    assert!(
        scene.queues[0].caption.ends_with("; 1 packet dropped."),
        "{}",
        scene.queues[0].caption
    );
    assert!(scene.explanation.contains("A cross is a packet that the queue drops."));
}

#[test]
fn there_is_nothing_to_watch_where_hardly_anything_waits() {
    let runs = [run("pfifo")];
    let scene = |windows: Vec<QueueWindow>| queue_scene(&runs, &[windows], "uplink", Way::Forward);
    assert_eq!(scene(vec![window(10_000, 1)]), None);
    assert_eq!(scene(Vec::new()), None);
    assert_eq!(scene(vec![QueueWindow::default()]), None);
    assert_eq!(queue_scene(&[], &[], "uplink", Way::Forward), None);
    let known = vec![vec![window(10_000, 500)]];
    assert_eq!(queue_scene(&runs, &known, "elsewhere", Way::Forward), None);
}

#[test]
fn time_is_slowed_down_by_a_round_factor() {
    // 2 Mbit/s, 20 Mbit/s and 1 Gbit/s; the last for 25 s at most.
    assert_eq!(slowed(6000.0, 2_600_000), 5);
    assert_eq!(slowed(600.0, 440_000), 50);
    assert_eq!(slowed(12.0, 14_000), 2000);
    assert_eq!(slowed(120_000.0, 5_000_000), 1);
}

#[test]
fn a_scene_has_not_too_many_packets() {
    let mut crowd = window(10_000, 900);
    let more = crowd.stays.clone();
    crowd.stays.extend(more.iter().cycle().take(12_000));
    crowd.stays.sort_by_key(|stay| stay.left);
    let scene = queue_scene(&[run("pfifo")], &[vec![crowd]], "uplink", Way::Forward);
    assert!(scene.is_none_or(|scene| scene.queues[0].packets.len() <= 4000));
}
