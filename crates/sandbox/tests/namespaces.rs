//! Rights in namespaces of our own, and giving them up: as root and as an ordinary user.
//!
//! Where the machine forbids namespaces, all count as ignored, and the reason is printed.

#[cfg(target_os = "linux")]
mod harness;
#[cfg(target_os = "linux")]
mod linux;

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
}
