//! A client's ordinary use: load both ways, the notes on it, and the end.

use std::io::Write;

use measure::protocol::{Answer, Command, Log, Request, SenderReading};
use measure::server::Options;
use observation::Heading;

use crate::client::{Host, hello};

#[test]
fn a_test_loads_both_ways_and_tells_what_was_noted() {
    let host = Host::start(Options::default());
    let (mut control, test) = host.test();
    let mut down = host.flow(&test, Heading::Down, None);
    let mut up = host.flow(&test, Heading::Up, None);
    let mut taken = 0;
    while taken < 3_000_000 {
        taken += down.load();
        up.stream.write_all(&[1; 50_000]).unwrap();
    }
    let mut echo = host.connect();
    echo.say(&Request::Echo { test: test.clone() });
    assert_eq!(echo.hear(), Answer::Echo);
    echo.closed();
    up.stream.shutdown(std::net::Shutdown::Write).unwrap();
    up.closed();
    drop(down);
    let (mut receipt, mut sample) = (None, None);
    // The server notes the end of a flow only when it has noticed it.
    while receipt.is_none_or(|(_, bytes, _)| bytes < 1_000_000)
        || sample.is_none_or(|sample: SenderReading| sample.acked < 1_000_000)
    {
        for log in control.collect() {
            match log {
                Log::Received { flow: 1, receipts } => receipt = receipts.last().copied(),
                Log::Sender { flow: 0, samples } => sample = samples.last().copied(),
                log => panic!("{log:?}"),
            }
        }
    }
    assert!(receipt.is_some_and(|(.., segments)| segments > Some(0)), "{receipt:?}");
    assert!(sample.is_some_and(|sample| sample.srtt > 0 && sample.mss > 0), "{sample:?}");
    control.say(&Command::Bye);
    control.closed();
    let account = host.accounts.recv().unwrap();
    assert_eq!((account.program.as_str(), account.up.0 >= 1_000_000), ("a test", true));
    assert!(account.down.0 >= 1_000_000, "{account:?}");
}

#[test]
fn the_congestion_control_is_the_first_that_there_is() {
    let host = Host::start(Options::default());
    let (_control, test) = host.test();
    let mut flow = host.connect();
    flow.say(&crate::client::flow_of(&test, Heading::Down, None));
    assert_eq!(flow.hear(), Answer::Ready { flow: 0, congestion: "reno".into() });
}

#[test]
fn small_segments_stay_small() {
    let host = Host::start(Options::default());
    let (mut control, test) = host.test();
    let mut flow = host.flow(&test, Heading::Down, Some(200));
    let mut taken = 0;
    while taken < 200_000 {
        taken += flow.load();
    }
    drop(flow);
    // The server's last note comes when it notices that nothing more is read.
    let mut last = None;
    while last.is_none_or(|sample: SenderReading| sample.acked < 200_000) {
        for log in control.collect() {
            if let Log::Sender { samples, .. } = log {
                last = samples.last().copied().or(last);
            }
        }
    }
    let last = last.unwrap();
    assert!((last.sent - last.again) * 200 >= last.acked, "{last:?}");
}

#[test]
fn the_end_of_control_ends_the_flows() {
    for polite in [true, false] {
        let host = Host::start(Options::default());
        let (mut control, test) = host.test();
        let mut down = host.flow(&test, Heading::Down, None);
        let mut up = host.flow(&test, Heading::Up, None);
        if polite {
            control.say(&Command::Bye);
        }
        drop(control);
        while down.load() > 0 {}
        up.closed();
        let mut late = host.connect();
        late.say(&Request::Echo { test });
        assert_eq!(late.refused().0, measure::protocol::Reason::UnknownTest);
    }
}

#[test]
fn others_are_counted() {
    let host = Host::start(Options::default());
    let (mut one, _) = host.test();
    let mut two = host.connect();
    two.say(&hello());
    let Answer::Welcome { other_tests, .. } = two.hear() else { panic!("not welcome") };
    assert_eq!(other_tests, 1);
    drop(two);
    one.say(&Command::Collect);
    assert_eq!(one.hear(), Answer::Collected { other_tests: 1 });
}
