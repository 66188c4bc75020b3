//! One connection of a web load and the two who talk over it.

use std::sync::Arc;

use transport::Config;
use units::{Span, Time};

use crate::flow::connection::Connection;
use crate::hops::End;
use crate::packmime::Visit;

/// A connection that is live.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) connection: Connection,
    visit: Visit,
    stage: Stage,
    /// When the browser asked.
    asked: Time,
    /// Where in the browser's stream the request ends.
    request_ends: u64,
    /// Where in the server's stream the response ends.
    response_ends: u64,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The request is on its way.
    Asking,
    /// The server will answer then.
    Thinking(Time),
    /// The response is on its way.
    Answering,
    /// The browser will ask again then.
    Pausing(Time),
    /// All has been said.
    Over,
}

impl Exchange {
    /// A browser opens a connection and asks.
    pub(super) fn open(visit: Visit, config: &Arc<Config>, channel: u16, now: Time) -> Self {
        let mut exchange = Self {
            connection: Connection::open(config, End::Sink, channel, now),
            visit,
            stage: Stage::Asking,
            asked: now,
            request_ends: 0,
            response_ends: 0,
        };
        exchange.ask(now);
        exchange
    }

    /// Something has arrived at the server: if the request is complete, it thinks about it.
    pub(super) fn think(&mut self, now: Time) {
        if matches!(self.stage, Stage::Asking)
            && self.connection.source.received() >= self.request_ends
        {
            self.stage = Stage::Thinking(now + self.visit.server_delay());
        }
    }

    /// Something has arrived at the browser: if the response is complete, how long that took.
    pub(super) fn read(&mut self, now: Time) -> Option<Span> {
        self.connection.close_after_peer();
        if !matches!(self.stage, Stage::Answering)
            || self.connection.sink.received() < self.response_ends
        {
            return None;
        }
        self.stage = match self.visit.advance() {
            Some(gap) => Stage::Pausing(now + gap),
            None => Stage::Over,
        };
        Some(now.since(self.asked))
    }

    /// A timer may have run out, or somebody has something to say.
    pub(super) fn wake(&mut self, now: Time) {
        match self.stage {
            Stage::Thinking(due) if due <= now => self.answer(),
            Stage::Pausing(due) if due <= now => self.ask(now),
            _ => {}
        }
        self.connection.wake(now);
    }

    pub(super) fn next_wake(&self) -> Option<Time> {
        let due = match self.stage {
            Stage::Thinking(due) | Stage::Pausing(due) => Some(due),
            Stage::Asking | Stage::Answering | Stage::Over => None,
        };
        Time::earliest(due, self.connection.next_wake())
    }

    /// Nothing more is said.
    pub(super) fn stop(&mut self) {
        self.stage = Stage::Over;
        self.connection.source.abandon();
    }

    /// Have both ends closed, and do both know?
    pub(super) fn is_gone(&self) -> bool {
        self.connection.source.is_closed() && self.connection.sink.is_closed()
    }

    fn ask(&mut self, now: Time) {
        let request = self.visit.request().0;
        self.request_ends += request;
        self.response_ends += self.visit.response().0;
        self.connection.sink.write(request);
        self.asked = now;
        self.stage = Stage::Asking;
    }

    fn answer(&mut self) {
        self.connection.source.write(self.visit.response().0);
        if self.visit.is_last() {
            self.connection.source.close();
        }
        self.stage = Stage::Answering;
    }
}
