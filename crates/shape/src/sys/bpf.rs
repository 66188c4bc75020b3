//! The system call bpf(2).
//!
//! Specification: Linux `include/uapi/linux/bpf.h` (`union bpf_attr`, one structure for each command).

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use crate::program::{Instruction, NAME_LEN};

const MAP_CREATE: libc::c_int = 0;
const MAP_UPDATE_ELEM: libc::c_int = 2;
const PROG_LOAD: libc::c_int = 5;
const PROG_QUERY: libc::c_int = 16;
const LINK_CREATE: libc::c_int = 28;

/// `BPF_PROG_TYPE_SCHED_CLS`.
const CLASSIFIER: u32 = 3;
/// `BPF_F_BEFORE`; without a program that is named, before all others.
const FIRST: u32 = 1 << 3;
/// The bytes that are kept of the kernel's reasons to refuse a program.
const LOG_LEN: usize = 16 << 10;

/// The attributes of `BPF_MAP_CREATE`.
#[repr(C)]
#[derive(Default)]
struct MapCreate {
    map_type: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    map_flags: u32,
}

/// The attributes of the commands for an element of a map.
#[repr(C)]
#[derive(Default)]
struct MapElement {
    map_fd: u32,
    unused: u32,
    key: u64,
    value: u64,
    flags: u64,
}

/// The attributes of `BPF_PROG_LOAD`.
#[repr(C)]
#[derive(Default)]
struct ProgLoad {
    prog_type: u32,
    instruction_count: u32,
    instructions: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
    name: [u8; NAME_LEN],
}

/// The attributes of `BPF_LINK_CREATE` for TCX.
#[repr(C)]
#[derive(Default)]
struct LinkCreate {
    prog_fd: u32,
    target_ifindex: u32,
    attach_type: u32,
    flags: u32,
    relative: u32,
    unused: u32,
    expected_revision: u64,
}

/// The attributes of `BPF_PROG_QUERY` for TCX.
#[repr(C)]
#[derive(Default)]
struct ProgQuery {
    target_ifindex: u32,
    attach_type: u32,
    query_flags: u32,
    attach_flags: u32,
    prog_ids: u64,
    count: u32,
    unused: u32,
    prog_attach_flags: u64,
    link_ids: u64,
    link_attach_flags: u64,
    revision: u64,
}

/// Makes an array of one value that programs and this process can map into memory.
pub(super) fn make_array(value_size: u32) -> io::Result<OwnedFd> {
    const ARRAY: u32 = 2;
    /// `BPF_F_MMAPABLE`.
    const MAPPABLE: u32 = 1 << 10;
    let mut attributes =
        MapCreate { map_type: ARRAY, key_size: 4, value_size, max_entries: 1, map_flags: MAPPABLE };
    // SAFETY: the command reads its attributes, which hold no address.
    unsafe { make(MAP_CREATE, &mut attributes) }
}

/// Makes an array of programs that other programs go on with.
pub(crate) fn make_program_array(max_entries: u32) -> io::Result<OwnedFd> {
    const PROG_ARRAY: u32 = 3;
    let mut attributes = MapCreate {
        map_type: PROG_ARRAY,
        key_size: 4,
        value_size: 4,
        max_entries,
        ..MapCreate::default()
    };
    // SAFETY: the command reads its attributes, which hold no address.
    unsafe { make(MAP_CREATE, &mut attributes) }
}

/// Puts a program into a place of an array of programs.
pub(crate) fn set_program(
    array: BorrowedFd<'_>,
    place: u32,
    program: BorrowedFd<'_>,
) -> io::Result<()> {
    let value = program.as_raw_fd().cast_unsigned();
    let mut attributes = element(array, &place);
    attributes.value = std::ptr::from_ref(&value).expose_provenance() as u64;
    // SAFETY: the kernel reads a key and a value of 4 bytes, as the array was made, and both outlive
    // the call.
    unsafe { call(MAP_UPDATE_ELEM, &mut attributes) }.map(drop)
}

/// The attributes for the element of this key, without a value.
fn element(map: BorrowedFd<'_>, key: &u32) -> MapElement {
    MapElement {
        map_fd: map.as_raw_fd().cast_unsigned(),
        key: std::ptr::from_ref(key).expose_provenance() as u64,
        ..MapElement::default()
    }
}

/// Loads a program for packets.
///
/// # Errors
/// The kernel's error, with its reasons if it refuses the program itself.
pub(crate) fn load(name: &str, instructions: &[Instruction]) -> io::Result<OwnedFd> {
    let error = match load_logging(name, instructions, &mut []) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::EACCES)) => error,
        result => return result,
    };
    let mut log = vec![0; LOG_LEN];
    load_logging(name, instructions, &mut log).map_err(|_| {
        let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
        let reasons = String::from_utf8_lossy(&log[..end]).trim().to_owned();
        if reasons.is_empty() { error } else { io::Error::new(error.kind(), reasons) }
    })
}

/// Loads a program; the kernel writes its reasons into `log`, unless that is empty.
fn load_logging(name: &str, instructions: &[Instruction], log: &mut [u8]) -> io::Result<OwnedFd> {
    let mut attributes = ProgLoad {
        prog_type: CLASSIFIER,
        instruction_count: instructions.len() as u32,
        instructions: instructions.as_ptr().expose_provenance() as u64,
        // Some functions that a program may call are for such programs only.
        license: c"Dual MIT/GPL".as_ptr().expose_provenance() as u64,
        ..ProgLoad::default()
    };
    if !log.is_empty() {
        attributes.log_level = 1;
        attributes.log_size = log.len() as u32;
        attributes.log = log.as_mut_ptr().expose_provenance() as u64;
    }
    // The last byte stays 0.
    for (to, from) in attributes.name[..NAME_LEN - 1].iter_mut().zip(name.bytes()) {
        *to = from;
    }
    // SAFETY: instructions, licence and log outlive the call, and the attributes tell their lengths.
    unsafe { make(PROG_LOAD, &mut attributes) }
}

/// Attaches a program to a hook of an interface (`BPF_TCX_*`), before all other programs there. The
/// program is detached when the returned descriptor is closed.
pub(crate) fn attach(program: BorrowedFd<'_>, index: u32, hook: u32) -> io::Result<OwnedFd> {
    let mut attributes = LinkCreate {
        prog_fd: program.as_raw_fd().cast_unsigned(),
        target_ifindex: index,
        attach_type: hook,
        flags: FIRST,
        ..LinkCreate::default()
    };
    // SAFETY: the command reads its attributes, which hold no address.
    unsafe { make(LINK_CREATE, &mut attributes) }
}

/// The number of programs at a hook of an interface.
pub(crate) fn attached(index: u32, hook: u32) -> io::Result<u32> {
    let mut attributes =
        ProgQuery { target_ifindex: index, attach_type: hook, ..ProgQuery::default() };
    // SAFETY: there is room for no programs, and the kernel tells how many there are.
    unsafe { call(PROG_QUERY, &mut attributes) }?;
    Ok(attributes.count)
}

/// Executes a command that makes something.
///
/// # Safety
/// As [`call`]; the command returns a new descriptor.
unsafe fn make<T>(command: libc::c_int, attributes: &mut T) -> io::Result<OwnedFd> {
    // SAFETY: the caller guarantees it.
    let descriptor = unsafe { call(command, attributes) }?;
    // SAFETY: the kernel has just made this descriptor, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Executes a command.
///
/// # Safety
/// `T` must be the attributes of the command, and every address in them must be valid for what the
/// command does with it.
unsafe fn call<T>(command: libc::c_int, attributes: &mut T) -> io::Result<libc::c_int> {
    // SAFETY: the kernel is told the length of the attributes; the caller guarantees the rest.
    let result = unsafe {
        libc::syscall(libc::SYS_bpf, command, std::ptr::from_mut(attributes), size_of::<T>())
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as libc::c_int) }
}
