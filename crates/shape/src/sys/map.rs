//! An array that programs in the kernel read, and this process writes.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use super::bpf;

/// The length of the mapped memory: a page, of which the values take the beginning.
const LEN: usize = 4096;

/// Some numbers of 64 bits that programs in the kernel read.
#[derive(Debug)]
pub(crate) struct SharedMap {
    fd: OwnedFd,
    memory: NonNull<AtomicU64>,
    count: usize,
}

// SAFETY: the memory is shared with the kernel in any case, and is only used by atomic operations.
unsafe impl Send for SharedMap {}

impl SharedMap {
    /// `count` numbers, all 0.
    pub(crate) fn new(count: usize) -> io::Result<Self> {
        let fd = bpf::make_array((count * 8) as u32)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, whose place the kernel chooses.
        let memory = unsafe {
            libc::mmap(std::ptr::null_mut(), LEN, protection, libc::MAP_SHARED, fd.as_raw_fd(), 0)
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = NonNull::new(memory.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { fd, memory, count })
    }

    /// Sets the number at this place.
    ///
    /// # Panics
    /// If there is no such place.
    pub(crate) fn set(&self, place: usize, number: u64) {
        self.slot(place).store(number, Ordering::Relaxed);
    }

    /// The number at this place.
    ///
    /// # Panics
    /// If there is no such place.
    pub(crate) fn get(&self, place: usize) -> u64 {
        self.slot(place).load(Ordering::Relaxed)
    }

    fn slot(&self, place: usize) -> &AtomicU64 {
        assert!(place < self.count, "a place of the map");
        // SAFETY: the place is mapped as long as this value exists, and aligned, since a page is.
        unsafe { self.memory.add(place).as_ref() }
    }
}

impl AsFd for SharedMap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for SharedMap {
    fn drop(&mut self) {
        // SAFETY: the memory was mapped with this length, and nobody uses it any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), LEN) };
    }
}
