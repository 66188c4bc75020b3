//! Options of measurements and their output.

use crate::table::Format;

/// The options of `bench` and `bench replay`.
#[derive(clap::Args)]
pub(crate) struct Measurement {
    /// Number of repetitions of each run; the fastest counts, since all disturbances make a run
    /// slower.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeats: u32,
    /// Write one JSON document.
    #[arg(long)]
    json: bool,
    /// Write the tables of docs/performance.md.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

impl Measurement {
    /// The output format.
    pub(crate) const fn format(&self) -> Format {
        Format::asked(self.json, self.markdown)
    }

    /// The text above the tables.
    pub(crate) fn circumstances(&self, processor: &str) -> String {
        let repeats = self.repeats;
        format!(
            "Measured on {processor}: processor time of the one thread that computes, the best of \
             {repeats} runs, each in a process of its own.\nRatios within a table count; absolute \
             times are those of this machine at this moment.\n"
        )
    }
}
