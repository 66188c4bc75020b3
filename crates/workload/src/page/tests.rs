use super::*;

fn millis(n: u64) -> Time {
    Time::from_millis(n)
}

fn page(parallel: u32, objects: &[u64], pause: Option<Span>) -> Page {
    let objects: Vec<Bytes> = objects.iter().copied().map(Bytes).collect();
    Page::new(parallel, &objects, pause, ActivePeriod { start: millis(100), stop: millis(1_000) })
}

fn requests(page: &mut Page) -> Vec<Request> {
    std::iter::from_fn(|| page.next_request()).collect()
}

fn request_of(connection: u16) -> Request {
    Request::Write { connection, at: End::Sink, bytes: 422 }
}

fn deliver(page: &mut Page, connection: u16, at: End, bytes: u64, now: u64) -> Vec<Request> {
    page.on_received(Received { connection, at, bytes }, millis(now));
    requests(page)
}

#[test]
fn each_connection_fetches_one_object_after_the_other() {
    let mut page = page(2, &[500, 60, 7], None);
    page.on_time(millis(100));
    let open = |connection| Request::Open { connection };
    assert_eq!(requests(&mut page), [open(0), request_of(0), open(1), request_of(1)]);
    // A request may come in pieces.
    assert_eq!(deliver(&mut page, 1, End::Source, 400, 110), []);
    let answer = Request::Write { connection: 1, at: End::Source, bytes: 60 };
    assert_eq!(deliver(&mut page, 1, End::Source, 22, 110), [answer]);
    assert_eq!(deliver(&mut page, 1, End::Source, 0, 111), [], "it came twice");
    assert_eq!(deliver(&mut page, 1, End::Sink, 59, 120), []);
    assert_eq!(deliver(&mut page, 1, End::Sink, 1, 130), [request_of(1)], "the third object");
    deliver(&mut page, 1, End::Source, 422, 140);
    assert_eq!(deliver(&mut page, 1, End::Sink, 7, 150), [], "none is left");
    deliver(&mut page, 0, End::Source, 422, 160);
    let drop = |connection| Request::Drop { connection };
    assert_eq!(deliver(&mut page, 0, End::Sink, 500, 300), [drop(0), drop(1)]);
    assert_eq!(page.next_action(), None, "it is loaded once");
    let result = page.result(&(Time::ZERO..millis(5_000)));
    let (complete, started) = (result.completion_s.unwrap(), result.startup_s.unwrap());
    assert_eq!((complete.count, complete.max, started.max), (1, Some(0.2), Some(0.02)));
    assert_eq!(result.delivered_bytes, Some(567));
}

#[test]
fn a_page_is_loaded_again_over_other_connections() {
    let mut page = page(6, &[10], Some(Span::from_millis(50)));
    for (load, begin) in [100, 170, 240].into_iter().enumerate() {
        assert_eq!(page.next_action(), Some(millis(begin)));
        page.on_time(millis(begin));
        let connection = load as u16;
        assert_eq!(requests(&mut page), [Request::Open { connection }, request_of(connection)]);
        deliver(&mut page, connection, End::Source, 422, begin + 10);
        deliver(&mut page, connection, End::Sink, 10, begin + 20);
        // Late data of a connection of the past is nobody's.
        assert_eq!(deliver(&mut page, connection, End::Sink, 10, begin + 21), []);
    }
    assert_eq!(page.delivered(), 30);
}

#[test]
fn a_page_that_is_stopped_asks_for_nothing_more() {
    let mut page = page(1, &[10, 20], Some(Span::ZERO));
    page.on_time(millis(100));
    assert_eq!((requests(&mut page).len(), page.stops()), (2, Some(millis(1_000))));
    page.on_time(millis(1_000));
    assert_eq!(requests(&mut page), [Request::Abandon { connection: 0, at: End::Source }]);
    assert_eq!(deliver(&mut page, 0, End::Sink, 10, 1_010), [], "what was sent is still delivered");
    assert_eq!((page.delivered(), page.stops(), page.next_action()), (10, None, None));
}
