//! The life of a thread, whose end another process learns of at once.
//!
//! When a thread ends, the kernel unlocks its robust mutexes (get_robust_list(2)) before all else. The
//! memory and the descriptors of its process go later: by milliseconds.

use std::io;
use std::ptr::NonNull;

use units::Span;

/// The life of the thread that has made this value, in memory that is shared with child processes.
#[derive(Debug)]
pub(crate) struct Life(NonNull<libc::pthread_mutex_t>);

impl Life {
    /// Locks a mutex for the rest of the calling thread's life.
    pub(crate) fn begin() -> io::Result<Self> {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        let len = size_of::<libc::pthread_mutex_t>();
        // SAFETY: a new mapping, whose place the kernel chooses.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mutex = NonNull::new(memory.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: the attributes are initialized before they are used, and outlive their use. The mutex
        // has enough memory, aligned as a page is.
        let outcome = unsafe {
            let mut attributes = std::mem::zeroed();
            libc::pthread_mutexattr_init(&raw mut attributes);
            libc::pthread_mutexattr_setpshared(&raw mut attributes, libc::PTHREAD_PROCESS_SHARED);
            libc::pthread_mutexattr_setrobust(&raw mut attributes, libc::PTHREAD_MUTEX_ROBUST);
            match libc::pthread_mutex_init(mutex.as_ptr(), &raw const attributes) {
                0 => libc::pthread_mutex_lock(mutex.as_ptr()),
                error => error,
            }
        };
        if outcome == 0 { Ok(Self(mutex)) } else { Err(io::Error::from_raw_os_error(outcome)) }
    }

    /// Waits for the end of the thread, for a child process. Returns false if the thread has not ended
    /// within this time. That is longer or shorter if somebody sets the clock meanwhile.
    pub(crate) fn ends_within(&self, time: Span) -> bool {
        /// A second in nanoseconds.
        const SECOND: u64 = 1_000_000_000;
        // SAFETY: the mutex was initialized, and both it and the time outlive the calls.
        let outcome = unsafe {
            let mut until: libc::timespec = std::mem::zeroed();
            libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut until);
            let nanos = until.tv_nsec as u64 + time.as_nanos();
            until.tv_sec = (until.tv_sec as u64 + nanos / SECOND) as _;
            until.tv_nsec = (nanos % SECOND) as _;
            libc::pthread_mutex_timedlock(self.0.as_ptr(), &raw const until)
        };
        outcome != libc::ETIMEDOUT
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        // SAFETY: this thread has locked the mutex, and only this value refers to the memory.
        unsafe {
            libc::pthread_mutex_unlock(self.0.as_ptr());
            libc::munmap(self.0.as_ptr().cast(), size_of::<libc::pthread_mutex_t>());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_thread_is_seen_and_nothing_else() {
        let life = std::thread::spawn(|| {
            let life = Life::begin().unwrap();
            let waiting = std::thread::scope(|scope| {
                let life = Shared(&life);
                scope.spawn(move || life.ends_within(Span::from_millis(20))).join().unwrap()
            });
            assert!(!waiting, "the thread lives");
            Shared(Box::leak(Box::new(life)))
        });
        let life = life.join().unwrap();
        assert!(life.ends_within(Span::from_secs(10)));
    }

    /// A life that another thread waits for, as a child process does.
    struct Shared<'a>(&'a Life);

    // SAFETY: the waiting thread only reads the address of the mutex, which is made for several threads.
    unsafe impl Send for Shared<'_> {}

    impl Shared<'_> {
        fn ends_within(&self, time: Span) -> bool {
            self.0.ends_within(time)
        }
    }
}
