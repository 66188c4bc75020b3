//! `unbloat test` to `unbloat serve` over real routers, in namespaces of our own: as root and as an
//! ordinary user.
//!
//! Where the machine forbids namespaces, all count as ignored, and the reason is printed.

#[cfg(target_os = "linux")]
#[expect(dead_code, reason = "what else is on its way is tested by `measure`")]
#[path = "../../measure/tests/linux/chain.rs"]
mod chain;
#[cfg(target_os = "linux")]
#[path = "../../sandbox/tests/harness/mod.rs"]
mod harness;
#[cfg(target_os = "linux")]
mod routers;

fn main() {
    #[cfg(target_os = "linux")]
    routers::main();
}
