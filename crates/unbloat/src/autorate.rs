//! `unbloat autorate`: rates of the kernel's queues that follow a line.

#[cfg(target_os = "linux")]
mod line;
#[cfg(target_os = "linux")]
mod show;
#[cfg(target_os = "linux")]
mod work;

#[cfg(target_os = "linux")]
pub(crate) use work::autorate;

/// Says that nothing follows here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn autorate(_: &crate::args::AutorateArgs) -> Result<(), crate::failure::Failure> {
    let text = "only Linux has CAKE, whose rates follow the line";
    Err(crate::failure::Failure::Run(text.into()))
}
