//! The offload features of a device.
//!
//! Specification: Linux `include/uapi/linux/ethtool.h`.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

const STRINGS: u32 = 0x1b;
const STRING_SETS: u32 = 0x37;
const SET_FEATURES: u32 = 0x3b;
/// `ETH_SS_FEATURES`: the names of features.
const FEATURES: u32 = 4;
/// `ETH_GSTRING_LEN`.
const NAME: usize = 32;

/// `struct ifreq` of `linux/if.h`, as `SIOCETHTOOL` uses it.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    command: *mut u32,
    unused: [u8; 16],
}

const _: () = assert!(size_of::<Request>() >= size_of::<libc::ifreq>());

/// Switches off these features of a device in the calling thread's namespace. Features that this
/// kernel does not know are ignored.
pub(crate) fn switch_off(device: &str, features: &[&str]) -> io::Result<()> {
    let names = names(device)?;
    let words = names.len().div_ceil(32);
    // The command has, for each 32 features, one word of those that change, and one word of their
    // values.
    let mut command = vec![0; 2 + 2 * words];
    (command[0], command[1]) = (SET_FEATURES, words as u32);
    for (index, name) in names.iter().enumerate() {
        if features.contains(&name.as_str()) {
            command[2 + 2 * (index / 32)] |= 1 << (index % 32);
        }
    }
    // SAFETY: the kernel reads as many pairs of words as the command says, and the command has
    // them.
    unsafe { ask(device, &mut command) }
}

/// The names of all features that the kernel knows, in the kernel's order.
fn names(device: &str) -> io::Result<Vec<String>> {
    // Two words select the sets of strings; the length of the selected set comes after them.
    let mut command = [STRING_SETS, 0, 0, 0, 0];
    // A number of 64 bits, in the machine's byte order.
    let sets = (1_u64 << FEATURES).to_ne_bytes();
    let [a, b, c, d, rest @ ..] = sets;
    (command[2], command[3]) = (u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes(rest));
    // SAFETY: the kernel writes one word for each set that it was asked for, and there is room for
    // one.
    unsafe { ask(device, &mut command) }?;
    let count = command[4] as usize;
    let mut command = vec![0; 3 + count * NAME / 4];
    (command[0], command[1], command[2]) = (STRINGS, FEATURES, count as u32);
    // SAFETY: the kernel writes all names. It has just told their number, and the names of features
    // never change while it runs.
    unsafe { ask(device, &mut command) }?;
    let bytes: Vec<u8> = command[3..].iter().flat_map(|word| word.to_ne_bytes()).collect();
    let name = |bytes: &[u8]| {
        let len = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..len]).into_owned()
    };
    Ok(bytes.chunks_exact(NAME).map(name).collect())
}

/// Executes an ethtool command on a device. The answer is written into `command`.
///
/// # Safety
/// All that the kernel reads and writes for this command must lie within `command`.
unsafe fn ask(device: &str, command: &mut [u32]) -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC;
    // Any socket in the namespace of the device will do.
    let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, flags, None)?;
    let mut name = [0; libc::IFNAMSIZ];
    let bytes = name.get_mut(..device.len()).ok_or(io::ErrorKind::InvalidInput)?;
    bytes.copy_from_slice(device.as_bytes());
    let mut request = Request { name, command: command.as_mut_ptr(), unused: [0; 16] };
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel reads and writes a `struct ifreq`, and `Request` is no shorter. The caller
    // guarantees the rest of the command. (Each C library has its own type for the number.)
    let result = unsafe { libc::ioctl(socket, libc::SIOCETHTOOL as _, &raw mut request) };
    // A positive result means that not every feature could be changed.
    if result >= 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET_FEATURES: u32 = 0x3a;

    /// True if a feature of a device is switched on.
    fn is_on(device: &str, feature: &str) -> bool {
        let names = names(device).unwrap();
        let index = names.iter().position(|name| name == feature).unwrap();
        let words = names.len().div_ceil(32);
        // For each 32 features the words available, wanted, on, and never changed.
        let mut command = vec![0; 2 + 4 * words];
        (command[0], command[1]) = (GET_FEATURES, words as u32);
        // SAFETY: the kernel writes as many words as were told to be there.
        unsafe { ask(device, &mut command) }.unwrap();
        command[2 + 4 * (index / 32) + 2] & 1 << (index % 32) != 0
    }

    #[test]
    fn features_are_switched_off_one_by_one() {
        let namespace = match sandbox::Namespace::new() {
            Ok(namespace) => namespace,
            Err(error) => return println!("skipped: no namespace: {error}"),
        };
        let switch = || {
            let (sctp, tcp) = ("tx-sctp-segmentation", "tx-tcp-segmentation");
            assert!(is_on("lo", sctp) && is_on("lo", tcp));
            switch_off("lo", &[sctp, "no-such-feature"]).unwrap();
            assert!(!is_on("lo", sctp) && is_on("lo", tcp));
            assert!(switch_off("nothing", &[sctp]).is_err());
        };
        namespace.run(switch).unwrap();
    }
}
