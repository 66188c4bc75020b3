//! `unbloat shape`: our queues on the traffic of a real interface.

#[cfg(target_os = "linux")]
mod live;
#[cfg(target_os = "linux")]
mod service;
#[cfg(target_os = "linux")]
mod shaper;
#[cfg(target_os = "linux")]
mod state;

#[cfg(target_os = "linux")]
pub(crate) use shaper::shape;

/// Says that there is no shaper here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn shape(_: &crate::args::ShapeArgs) -> Result<(), crate::failure::Failure> {
    let text = "shaping needs Linux 6.6 or later, which hands packets over to this program";
    Err(crate::failure::Failure::Run(text.into()))
}
