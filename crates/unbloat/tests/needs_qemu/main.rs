//! Treatments in a guest: a real modem's buffer, a real `sch_cake`, real TCP, and this program. The
//! tests need QEMU and the packages of Debian; see CONTRIBUTING.md.
#![cfg(target_os = "linux")]

mod autotune;
mod clock;
mod over_ssh;
mod platforms;
mod power;
mod treatments;
mod undo;
mod ward;
mod wireless;
