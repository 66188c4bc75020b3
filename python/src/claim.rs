//! Claims of what one thread at a time may do.

use std::sync::atomic::{AtomicBool, Ordering};

/// A claim that one owner at a time can have. Nobody waits for it.
#[derive(Debug, Default)]
pub(crate) struct Claim(AtomicBool);

impl Claim {
    /// The claim, until the value is dropped; `None` if somebody has it.
    pub(crate) fn claimed(&self) -> Option<Claimed<'_>> {
        let taken = self.0.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        // Only an owner has the value, whose end frees the claim.
        taken.is_ok().then(|| Claimed(self))
    }

    /// True while somebody has the claim.
    pub(crate) fn is_claimed(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A claim that its owner has.
#[derive(Debug)]
pub(crate) struct Claimed<'a>(&'a Claim);

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Release);
    }
}
