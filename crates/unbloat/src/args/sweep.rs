//! The arguments of `unbloat sweep`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::ValueEnum;
use scenario::Vary;

use super::{COMMON, ScenarioArgs, Volume};

#[derive(Debug, clap::Args)]
pub(crate) struct SweepArgs {
    /// The scenario (TOML or JSON, - for stdin), with a [sweep] table or with --vary; see docs/sweep.md
    #[arg(value_parser = super::file::input())]
    pub(crate) file: PathBuf,

    /// Vary a field, or replace what the file varies; repeatable. `seed=1..10` is a range, and may
    /// have a step: `1mbit..64mbit step x2`. Fields that vary together:
    /// `A,B=[1mbit,8mbit],[5mbit,40mbit]`. A comma in brackets or quotes is part of a value. 6 seeds
    /// or more give confidence intervals
    #[arg(long, value_name = "PATH=A,B,C", value_parser = vary)]
    pub(crate) vary: Vec<Vary>,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    /// Folder that keeps the runs; runs that it already has are not done again [default: FILE's name
    /// and `.runs`]
    #[arg(long, alias = "out", short_alias = 'o', value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    /// Format in which the runs are written: `parquet` or `csv` [default: parquet]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) format: Option<Format>,

    /// Do only each N-th run, beginning with the I-th, as in `2/8`; all shards may share a folder
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,

    /// Number of runs at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true, value_parser = threads)]
    pub(crate) threads: Option<NonZero<usize>>,

    /// Group the summary by these fields: their paths, or the ends of them, such as `queue,rate`
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub(crate) by: Vec<String>,

    /// Direction to which figures without a link refer, LINK or LINK.reverse [default: that of the
    /// slowest link that data over TCP crosses, in most of the runs]
    #[arg(long, value_name = "LINK")]
    pub(crate) link: Option<String>,

    /// Begin even if the sweep will take long
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Print the summary as JSON
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Parquet,
    Csv,
}

/// A part of the runs, which one process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Number of the shard, from 1.
    pub(crate) number: u32,
    pub(crate) of: u32,
}

fn vary(text: &str) -> Result<Vary, String> {
    text.parse()
}

fn threads(text: &str) -> Result<NonZero<usize>, String> {
    const MOST: usize = 1024;
    let number = text.parse().ok().filter(|number: &NonZero<usize>| number.get() <= MOST);
    number.ok_or_else(|| {
        format!("write a number from 1 to {MOST}, or nothing for as many as there are processors")
    })
}

fn shard(text: &str) -> Result<Shard, String> {
    const MOST: u32 = 1_000_000;
    let parts = text.split_once('/').and_then(|(number, of)| {
        Some(Shard { number: number.trim().parse().ok()?, of: of.trim().parse().ok()? })
    });
    match parts {
        Some(Shard { number, of }) if number == 0 || number > of || of > MOST => {
            Err(format!("there is no shard {number} of {of}; write I/N with I from 1 to N"))
        }
        Some(shard) => Ok(shard),
        None => Err("write I/N, as in `2/8`".into()),
    }
}

pub(super) const EXAMPLES: &str = "\
Examples:
  The runs of the file's [sweep] table, on all processors, into queues.runs/:
    unbloat sweep scenarios/sweeps/queues.toml
  Any scenario, with fields that vary:
    unbloat sweep scenarios/home-uplink.toml \\
        --vary link.uplink.rate=1mbit,2mbit,10mbit \\
        --vary \"link.uplink.queue=pfifo limit 300,codel,fq_codel\" \\
        --vary \"link.uplink.delay=10ms..50ms step 10ms\" --store home
  Interrupted? The same command goes on with the missing runs.
  The median over all runs of each queue, for a program:
    unbloat sweep scenarios/sweeps/queues.toml --by queue --json
  On eight machines that share a disk, the third of them:
    unbloat sweep big.toml --store /shared/big --shard 3/8 --yes
  As a page with plots:
    unbloat report queues.runs

Exit codes: 0 done, 1 some runs failed, 2 bad usage or bad input, 3 interrupted.
After one Ctrl-C, the sweep ends and keeps the finished runs. The same command does the missing runs.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_thread_but_not_any_number_of_them() {
        assert_eq!(threads("7").map(NonZero::get), Ok(7));
        for text in ["0", "-1", "1025", "two", ""] {
            assert!(threads(text).unwrap_err().contains("from 1 to 1024"), "{text}");
        }
    }

    #[test]
    fn shards_count_from_one() {
        assert_eq!(shard("2/8"), Ok(Shard { number: 2, of: 8 }));
        assert_eq!(shard("1/1"), Ok(Shard { number: 1, of: 1 }));
        for text in ["0/8", "9/8", "1/0", "2", "a/b", "-1/8", "1/9999999", ""] {
            assert!(shard(text).is_err(), "{text}");
        }
    }
}
