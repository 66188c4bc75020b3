//! What a watch keeps.

use std::io::ErrorKind;
use std::path::Path;

use observation::{WatchedProbe, WatchedSecond};
use results::WatchEvent;
use store::{Reader, Retention, Store, StoreError, TargetId};
use units::{Span, Time};
use watch::Probed;

use crate::failure::Failure;
use crate::message::note;

/// The time between two times at which what is old is forgotten, a part each time.
const RETAIN: Span = Span::from_secs(60);

/// The keeper of a store. Times are since 1970 (UTC).
pub(super) struct Keeper {
    store: Store,
    /// The targets by index.
    ids: Vec<TargetId>,
    /// The time of the last probe before this watch.
    last: Option<Time>,
    /// The time between two commits.
    every: Span,
    due: Time,
    retain_due: Time,
    retention: Retention,
    /// True while commits fail.
    is_failing: bool,
}

impl Keeper {
    /// Opens the store in a folder.
    ///
    /// # Errors
    /// If the folder cannot be used, or if somebody else writes there.
    pub(super) fn open(folder: &Path, every: Span, now: Time) -> Result<Self, Failure> {
        let store = Store::open(folder).map_err(failure)?;
        let before = Reader::open(folder).and_then(|it| watched::range(&it)).map_err(failure)?;
        let (ids, last) = (Vec::new(), before.map(|(_, last)| last));
        let retention = Retention::default();
        Ok(Self {
            store,
            ids,
            every,
            last,
            due: now,
            retain_due: now,
            retention,
            is_failing: false,
        })
    }

    /// Takes note of what is probed, by index.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub(super) fn know(&mut self, probed: &[Probed]) -> Result<(), Failure> {
        let named = probed.iter().map(|it| (&*it.name, &*it.written));
        self.ids = self.store.targets(named).map_err(failure)?;
        Ok(())
    }

    /// The time of the last probe that was kept before this watch; `None` if there was none, and at any
    /// later call.
    pub(super) fn last_before(&mut self) -> Option<Time> {
        self.last.take()
    }

    pub(super) fn keep(&mut self, index: usize, probe: WatchedProbe) {
        self.store.keep(self.ids[index], probe);
    }

    pub(super) fn keep_second(&mut self, second: WatchedSecond) {
        self.store.keep_second(second);
    }

    /// Keeps an event, at once.
    pub(super) fn keep_event(&mut self, event: &WatchEvent) {
        self.store.keep_event(event);
        self.commit();
    }

    /// Commits, and forgets what is old, if it is time. What cannot be kept now is tried again.
    pub(super) fn look(&mut self, now: Time) {
        // A clock that was set back makes nothing wait.
        if now >= self.due || now + self.every < self.due {
            self.due = now + self.every;
            self.commit();
        }
        if now >= self.retain_due || now + RETAIN < self.retain_due {
            self.retain_due = now + RETAIN;
            if let Err(error) = self.store.retain(&self.retention) {
                note(format_args!("cannot delete old data now: {error}"));
            }
        }
    }

    /// Commits what there is.
    pub(super) fn commit(&mut self) {
        match self.store.commit() {
            Ok(_) if std::mem::take(&mut self.is_failing) => note("the store can be written again"),
            Ok(_) => {}
            Err(error) => {
                if !std::mem::replace(&mut self.is_failing, true) {
                    note(format_args!(
                        "cannot write to the store now, and will try again: {error}"
                    ));
                }
            }
        }
    }

    /// Commits for the last time.
    ///
    /// # Errors
    /// If the store cannot be written: what was observed since it failed is lost.
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        self.commit();
        match self.is_failing {
            true => Err(Failure::Run(
                "the store could not be written until the end: what was observed last is lost"
                    .into(),
            )),
            false => Ok(()),
        }
    }
}

/// An error of a store as the failure of the program.
pub(crate) fn failure(error: StoreError) -> Failure {
    match error {
        StoreError::Export(error) if error.kind() == ErrorKind::BrokenPipe => Failure::Closed,
        StoreError::Export(_) => Failure::Run(error.to_string()),
        _ => Failure::Input(error.to_string()),
    }
}
