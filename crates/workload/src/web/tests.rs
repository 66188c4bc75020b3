use super::*;

fn millis(n: u64) -> Time {
    Time::from_millis(n)
}

fn web(rate: f64) -> Web {
    let active = ActivePeriod { start: millis(100), stop: Time::from_secs(1_000) };
    Web::new(rate, active, &Rng::new(3))
}

/// Carries everything to the other end in 10 ms, until this time. Returns all requests.
fn carry(web: &mut Web, until: Time) -> Vec<Request> {
    let (mut all, mut on_the_way) = (Vec::new(), VecDeque::<(Time, Request)>::new());
    loop {
        let delivery = on_the_way.front().map(|(due, _)| *due);
        let Some(now) = Time::earliest(delivery, web.next_action()) else { return all };
        if now > until {
            return all;
        }
        match on_the_way.pop_front_if(|(due, _)| *due == now) {
            Some((_, request)) => deliver(web, request, now),
            None => web.on_time(now),
        }
        while let Some(request) = web.next_request() {
            on_the_way.push_back((now + units::Span::from_millis(10), request));
            all.push(request);
        }
    }
}

/// What the other end learns of a request.
fn deliver(web: &mut Web, request: Request, now: Time) {
    match request {
        Request::Write { connection, at: End::Source, bytes } => {
            web.on_received(Received { connection, at: End::Sink, bytes }, now);
        }
        Request::Write { connection, at: End::Sink, bytes } => {
            web.on_received(Received { connection, at: End::Source, bytes }, now);
        }
        Request::Close { connection, at: End::Source } => web.on_peer_closed(connection, End::Sink),
        Request::Close { connection, at: End::Sink } => web.on_gone(connection),
        _ => {}
    }
}

#[test]
fn each_connection_is_opened_by_its_browser_and_closed_by_its_server() {
    let mut web = web(20.0);
    let requests = carry(&mut web, Time::from_secs(500));
    let opened = requests.iter().filter(|request| matches!(request, Request::Open { .. })).count();
    assert!((5_000..20_000).contains(&opened), "{opened} connections in 500 s at 20 a second");
    let closed = |end| {
        let is =
            move |request: &&Request| matches!(request, Request::Close { at, .. } if *at == end);
        requests.iter().filter(is).count()
    };
    assert!(closed(End::Source) <= opened && closed(End::Source) > opened * 9 / 10);
    assert_eq!(web.live.len(), opened - closed(End::Sink), "those that are over are forgotten");
    let result = web.result(&(Time::ZERO..Time::from_secs(500)));
    assert_eq!(result.connections, Some(opened as u64));
    let completion = result.completion_s.unwrap();
    assert!(completion.count > opened as u64, "some carry several responses");
    // Request and response take 10 ms each, and the server thinks.
    assert!(completion.p50 > Some(0.02) && completion.max < Some(0.121), "{completion:?}");
}

#[test]
fn a_number_is_given_again_only_after_all_others() {
    let mut web = web(5.0);
    let first: Vec<u16> = (0..3).filter_map(|_| web.free_number()).collect();
    assert_eq!(first, [0, 1, 2]);
    let visit = WebLoad::new(5.0, &Rng::new(1)).visit();
    web.live.insert(4, Transaction::new(4, visit));
    assert_eq!((web.free_number(), web.free_number()), (Some(3), Some(5)));
    let rest: Vec<u16> = (0..=u16::MAX - 6).filter_map(|_| web.free_number()).collect();
    assert_eq!((rest.last(), web.free_number()), (Some(&u16::MAX), Some(0)));
}

#[test]
fn a_crowd_that_is_stopped_asks_for_nothing_more() {
    let mut web = web(50.0);
    carry(&mut web, Time::from_secs(20));
    let live = web.live.len();
    web.on_time(Time::from_secs(1_000));
    let requests: Vec<Request> = std::iter::from_fn(|| web.next_request()).collect();
    assert!(live > 0 && requests.len() == live, "{live} {requests:?}");
    assert!(requests.iter().all(|request| matches!(request, Request::Abandon { .. })));
    assert_eq!((web.next_action(), web.stops()), (None, None));
    assert_eq!(super::Web::new(0.0, web.active, &Rng::new(1)).next_action(), None, "no crowd");
}
