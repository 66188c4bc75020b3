//! Settings of TUN devices: requests of `linux/if_tun.h`.

use std::io;
use std::mem::size_of;
use std::os::fd::AsFd;

use rustix::ioctl::{IntegerSetter, Opcode, Setter, Updater, ioctl, opcode};

const SET_DEVICE: Opcode = opcode::write::<libc::c_int>(b'T', 202);
const SET_OFFLOAD: Opcode = opcode::write::<libc::c_uint>(b'T', 208);
const SET_HEADER_LEN: Opcode = opcode::write::<libc::c_int>(b'T', 216);

/// `struct ifreq` of `linux/if.h`, as `TUNSETIFF` uses it.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    flags: u16,
    unused: [u8; 22],
}

const _: () = assert!(size_of::<Request>() >= size_of::<libc::ifreq>());

/// Attaches an open `/dev/net/tun` to a device of this name, in which the kernel replaces `%d` by a
/// number. Returns the device's name.
pub(crate) fn attach_tun(file: impl AsFd, name: &str, flags: libc::c_int) -> io::Result<String> {
    let mut request = Request { name: [0; libc::IFNAMSIZ], flags: flags as u16, unused: [0; 22] };
    // The last byte stays 0.
    if name.is_empty() || name.len() >= libc::IFNAMSIZ {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a name has 1 to 15 bytes"));
    }
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: the kernel reads and writes a `struct ifreq`, and `Request` is no shorter.
    unsafe { ioctl(file, Updater::<SET_DEVICE, Request>::new(&mut request)) }?;
    let len = request.name.iter().position(|byte| *byte == 0).unwrap_or(libc::IFNAMSIZ);
    Ok(String::from_utf8_lossy(&request.name[..len]).into_owned())
}

/// Sets the work (`TUN_F_*`) that the stack may leave to the reader of the device.
pub(crate) fn set_offload(file: impl AsFd, offload: libc::c_uint) -> io::Result<()> {
    // SAFETY: this request takes a number, not an address.
    Ok(unsafe { ioctl(file, IntegerSetter::<SET_OFFLOAD>::new_usize(offload as usize)) }?)
}

/// Sets the length of the virtio-net header.
pub(crate) fn set_header_len(file: impl AsFd, len: usize) -> io::Result<()> {
    // SAFETY: the kernel reads one int from a value that outlives the call.
    Ok(unsafe { ioctl(file, Setter::<SET_HEADER_LEN, libc::c_int>::new(len as libc::c_int)) }?)
}
