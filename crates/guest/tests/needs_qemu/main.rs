//! The kernel's queues beside ours: the same packets at the same times through both. The tests need
//! QEMU and the packages of Debian; see CONTRIBUTING.md.
#![cfg(target_os = "linux")]

mod aqm;
mod cake;
mod support;
mod systemd;
mod tc;
