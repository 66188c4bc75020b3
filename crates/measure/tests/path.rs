//! Paths of real routers, in namespaces of our own: as root and as an ordinary user.
//!
//! Isolation needs a process of one thread, so this has a small harness of its own. Where the
//! machine forbids namespaces, all count as ignored, and the reason is printed.

#[cfg(target_os = "linux")]
mod linux;

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
}
