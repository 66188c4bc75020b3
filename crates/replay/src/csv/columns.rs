//! The columns, and the values of their cells.

use csv::ByteRecord;

use super::{cell, excerpt};
use crate::arrival::Arrival;

const KNOWN: &str = "`time_s` and `bytes`, and if you like `flow`, `ecn` and `dscp`";

/// The index of each column.
#[derive(Debug)]
pub(super) struct Columns {
    time: usize,
    bytes: usize,
    flow: Option<usize>,
    ecn: Option<usize>,
    dscp: Option<usize>,
    /// The number of columns.
    count: usize,
}

impl Columns {
    /// Finds the columns of this header.
    ///
    /// # Errors
    /// The mistake in the header.
    pub(super) fn of(header: &ByteRecord) -> Result<Self, String> {
        let names: Vec<&[u8]> = header.iter().map(<[u8]>::trim_ascii).collect();
        if names.iter().all(|name| name.first().is_some_and(u8::is_ascii_digit)) {
            let first = names.join(&b","[..]);
            let first = excerpt(&first);
            return Err(format!("{first} is no header; the first line must be `time_s,bytes`"));
        }
        for (index, name) in names.iter().enumerate() {
            if !matches!(*name, b"time_s" | b"bytes" | b"flow" | b"ecn" | b"dscp") {
                return Err(unknown(name));
            }
            if names[..index].contains(name) {
                return Err(format!("there are two columns {}", excerpt(name)));
            }
        }
        let find = |wanted: &str| names.iter().position(|name| *name == wanted.as_bytes());
        let need = |wanted| find(wanted).ok_or_else(|| format!("there is no column `{wanted}`"));
        Ok(Self {
            time: need("time_s")?,
            bytes: need("bytes")?,
            flow: find("flow"),
            ecn: find("ecn"),
            dscp: find("dscp"),
            count: names.len(),
        })
    }

    /// Parses the arrival on this line.
    ///
    /// # Errors
    /// The mistake in the line.
    #[inline]
    pub(super) fn arrival(&self, record: &ByteRecord) -> Result<Arrival, String> {
        if record.len() != self.count {
            let (found, wanted) = (record.len(), self.count);
            return Err(format!("{found} cells, where the header has {wanted}"));
        }
        let of = |index: usize| record.get(index).unwrap_or_default().trim_ascii();
        let column = |name| move |why: String| format!("column {name}: {why}");
        let maybe = |index: Option<usize>| index.map(of).filter(|cell| !cell.is_empty());
        let flow = maybe(self.flow).map_or(Ok(0), cell::flow).map_err(column("flow"))?;
        let ecn = maybe(self.ecn).map_or(Ok(Default::default()), cell::ecn);
        let dscp = maybe(self.dscp).map_or(Ok(0), cell::dscp);
        Ok(Arrival {
            time: cell::time(of(self.time)).map_err(column("time_s"))?,
            bytes: cell::bytes(of(self.bytes)).map_err(column("bytes"))?,
            flow,
            ecn: ecn.map_err(column("ecn"))?,
            dscp: dscp.map_err(column("dscp"))?,
        })
    }
}

fn unknown(name: &[u8]) -> String {
    let hint = match name {
        b"" => "; is there a comma too many?",
        name if name.contains(&b'\r') => "; end each line in a line feed",
        name if name.contains(&b';') || name.contains(&b'\t') => "; write commas between columns",
        _ => "",
    };
    format!("there is no column {}{hint}; columns are {KNOWN}", excerpt(name))
}
