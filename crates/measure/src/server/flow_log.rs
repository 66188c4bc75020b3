//! The notes on a flow.

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use super::decimating_log::DecimatingLog;
use crate::protocol::SenderReading;

/// The notes on a flow.
pub(super) struct FlowLog {
    /// The flow's number in its test.
    pub(super) number: u32,
    /// Bytes that got through, at the latest note.
    pub(super) bytes: AtomicU64,
    pub(super) received: Mutex<DecimatingLog<(u64, u64, Option<u64>)>>,
    pub(super) sender: Mutex<DecimatingLog<SenderReading>>,
}

impl FlowLog {
    pub(super) fn new(number: u32) -> Self {
        let (received, sender) =
            (Mutex::new(DecimatingLog::new()), Mutex::new(DecimatingLog::new()));
        Self { number, bytes: AtomicU64::new(0), received, sender }
    }
}
