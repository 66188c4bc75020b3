//! Queries to DNS servers as probes of delay.
//!
//! An answer has the number and the question of its query (RFC 1035 section 4.1.1). A query that is sent again before its
//! answer comes has the same number too: then nobody knows to which the answer belongs, and it tells nothing (Karn's rule).

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;

use results::CapturedDns;
use units::{Span, Time};
use wire::DnsMessage;

use crate::endpoint::Endpoint;
use crate::waits::Waits;

/// The most queries that wait for their answers, and the time after which nobody waits any more.
const MOST: usize = 1 << 14;
const LONGEST: Span = Span::from_secs(30);

/// The queries of all hosts.
#[derive(Debug, Default)]
pub(super) struct Dns {
    servers: BTreeMap<(IpAddr, Endpoint), Server>,
    waiting: HashMap<Query, Waiting>,
    /// The time at which queries without an answer were forgotten last.
    forgotten: Time,
}

/// What a query is known by.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Query {
    client: Endpoint,
    server: Endpoint,
    id: u16,
    /// The hash of its question: questions are long.
    question: u64,
}

#[derive(Debug)]
struct Waiting {
    since: Time,
    is_repeated: bool,
}

/// The queries of one host to one server.
#[derive(Debug, Default)]
struct Server {
    queries: u64,
    repeated: u64,
    answered: u64,
    answers: Waits,
}

impl Dns {
    pub(super) fn take(&mut self, from: Endpoint, to: Endpoint, data: &[u8], now: Time) {
        let Some(message) = DnsMessage::of(data) else { return };
        let (client, server) = if message.is_answer { (to, from) } else { (from, to) };
        let mut hasher = DefaultHasher::new();
        message.question.hash(&mut hasher);
        let query = Query { client, server, id: message.id, question: hasher.finish() };
        match message.is_answer {
            true => self.answer(&query, now),
            false => self.ask(query, now),
        }
    }

    fn ask(&mut self, query: Query, now: Time) {
        let of = self.servers.entry((query.client.address, query.server)).or_default();
        if let Some(waiting) = self.waiting.get_mut(&query) {
            waiting.is_repeated = true;
            of.repeated += 1;
            return;
        }
        of.queries += 1;
        if self.waiting.len() >= MOST && now.since(self.forgotten) >= LONGEST {
            self.forgotten = now;
            self.waiting.retain(|_, waiting| now.since(waiting.since) < LONGEST);
        }
        if self.waiting.len() < MOST {
            self.waiting.insert(query, Waiting { since: now, is_repeated: false });
        }
    }

    fn answer(&mut self, query: &Query, now: Time) {
        let Some(waiting) = self.waiting.remove(query) else { return };
        let of = self.servers.entry((query.client.address, query.server)).or_default();
        of.answered += 1;
        if !waiting.is_repeated {
            of.answers.record(now, now.since(waiting.since));
        }
    }

    /// What was found, the most queries first.
    pub(super) fn found(&self) -> Vec<CapturedDns> {
        let document = |((client, server), of): (&(IpAddr, Endpoint), &Server)| CapturedDns {
            client: client.to_string(),
            server: server.address.to_string(),
            port: server.port,
            queries: of.queries,
            repeated: of.repeated,
            unanswered: of.queries - of.answered,
            answers: of.answers.document(),
        };
        let mut all: Vec<_> = self.servers.iter().map(document).collect();
        all.sort_by_key(|it| Reverse(it.queries));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(number: u8, port: u16) -> Endpoint {
        Endpoint { address: IpAddr::from([10, 0, 0, number]), port }
    }

    fn message(id: u8, is_answer: bool) -> Vec<u8> {
        let flags = if is_answer { 0x80 } else { 0 };
        let mut bytes = vec![0, id, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        bytes.extend(b"\x01a\0\0\x01\0\x01");
        bytes
    }

    #[test]
    fn answers_belong_to_their_queries() {
        let (client, server) = (end(1, 4000), end(9, 53));
        let mut dns = Dns::default();
        let at = Time::from_millis;
        dns.take(client, server, &message(1, false), at(0));
        dns.take(client, server, &message(2, false), at(1));
        // An answer from elsewhere, to another port, and with another number.
        dns.take(end(8, 53), client, &message(1, true), at(5));
        dns.take(server, end(1, 4001), &message(1, true), at(5));
        dns.take(server, client, &message(3, true), at(5));
        dns.take(server, client, &message(1, true), at(20));
        // Sent again: the answer tells nothing.
        dns.take(client, server, &message(2, false), at(1001));
        dns.take(server, client, &message(2, true), at(1020));
        dns.take(client, server, &message(4, false), at(2000));
        let [found] = &dns.found()[..] else { panic!() };
        assert_eq!((found.queries, found.repeated, found.unanswered), (3, 1, 1));
        assert_eq!((found.answers.least_ms, found.client.as_str()), (Some(20.0), "10.0.0.1"));
        assert!((found.answers.most_ms.unwrap() - 20.0).abs() < 0.5);
    }

    #[test]
    fn queries_that_wait_have_a_bound() {
        let mut dns = Dns::default();
        for number in 0..3 * MOST as u64 {
            let [high, low] = (number as u16).to_be_bytes();
            let mut query = message(low, false);
            query[0] = high;
            dns.take(
                end(1, 4000 + (number >> 14) as u16),
                end(9, 53),
                &query,
                Time::from_millis(number),
            );
            assert!(dns.waiting.len() <= MOST);
        }
        assert_eq!(dns.found()[0].queries, 3 * MOST as u64);
    }
}
