//! Stands in for the simulator.
use std::io::{self, Write};
use results::Document;
use scenario::Scenario;
use units::Span;

#[derive(Default)]
pub(crate) struct Options<'a> {
    pub(crate) series: Option<(Box<dyn Write>, Span)>,
    pub(crate) packets: Option<Box<dyn Write>>,
    pub(crate) progress: Option<Box<dyn FnMut(f64) -> bool + 'a>>,
}

pub(crate) fn run(scenario: &Scenario, mut options: Options<'_>) -> io::Result<Document> {
    for i in 0..100 { if let Some(p) = &mut options.progress { if !p(f64::from(i)/100.0) { break } } }
    if let Some((mut w, _)) = options.series { writeln!(w, "time_s")?; w.flush()?; }
    if let Some(mut w) = options.packets { writeln!(w, "index")?; w.flush()?; }
    Ok(Document::new(scenario.to_json()))
}
