//! Paths of real routers, in namespaces of their own: as root and as an ordinary user.
//!
//! Where the machine forbids namespaces, all tests count as ignored, and the reason is printed.

#[cfg(target_os = "linux")]
#[path = "../../sandbox/tests/harness/mod.rs"]
mod harness;
#[cfg(target_os = "linux")]
mod linux;

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
}
