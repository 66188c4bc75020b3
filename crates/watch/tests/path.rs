//! Targets behind real routers, in namespaces of their own: what is seen, and whose a spike was.
//!
//! Where the machine forbids namespaces, all tests count as ignored, and the reason is printed.

#[cfg(target_os = "linux")]
#[expect(dead_code, reason = "the tests of `measure` use more of it")]
#[path = "../../measure/tests/linux/chain.rs"]
mod chain;
#[cfg(target_os = "linux")]
#[path = "../../sandbox/tests/harness/mod.rs"]
mod harness;
#[cfg(target_os = "linux")]
mod linux;

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
}
