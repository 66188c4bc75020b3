//! Settings of the command line: `--set PATH=VALUE` and `--vary PATH=A,B,C`.

use std::str::FromStr;

/// A value that replaces one in the file: `link.uplink.rate=10mbit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The path of the field: `duration`, `link.uplink.queue`, `link.uplink.reverse.rate`,
    /// `flow[1].count`.
    pub path: String,
    /// The new value: a TOML value, or else a plain text.
    pub value: String,
}

/// An axis as it is typed: `link.uplink.queue=codel,fq_codel`, `seed=1..10`,
/// `link.up.rate=1mbit..64mbit step x2`, or, of fields that vary together,
/// `link.up.rate,link.down.rate=[1mbit,8mbit],[5mbit,40mbit]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    /// The path of the field, or several paths separated by commas.
    pub path: String,
    /// The values, each as an override writes it, separated by commas.
    pub values: String,
}

impl FromStr for Override {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((path, value)) => {
                Ok(Self { path: path.trim().into(), value: value.trim().into() })
            }
            None => Err("no value; write PATH=VALUE, as in `link.uplink.rate=10mbit`".into()),
        }
    }
}

impl FromStr for Vary {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((path, _)) if names_the_sweep(path) => {
                Err("`sweep` says what varies, and cannot itself; write the field's path".into())
            }
            Some((path, values)) if !path.trim().is_empty() => {
                Ok(Self { path: path.trim().into(), values: values.trim().into() })
            }
            _ => Err("write PATH=A,B,C, as in `link.uplink.rate=1mbit,10mbit`".into()),
        }
    }
}

/// True if one of these fields is the `[sweep]` table, or lies in it.
fn names_the_sweep(paths: &str) -> bool {
    let first = |path: &str| path.trim().split('.').next() == Some("sweep");
    paths.split(',').any(first)
}
