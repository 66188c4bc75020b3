//! LibreQoS: one subscriber's row of ShapedDevices.csv, in Mbit/s.
//!
//! Specification: LibreQoS 455bc13b (2.2), `src/LibreQoS.py` and `lqos_config`'s
//! `shaped_device.rs`. The order of its columns: circuit ID and name, device ID and name, parent node
//! and its ID, anchor node ID, MAC, IPv4, IPv6, download and upload minimum, download and upload
//! maximum, comment.

use remedy::{Prescription, Shaper};
use results::{CannotSay, Step, Tested};
use units::{Bytes, Rate};

use crate::error::PlatformError;
use crate::readback::Settings;
use crate::written::{
    Instead, LOWER_RATE, Written, lacks, lacks_wan, lacks_wishes, rates, refused,
};

/// The bytes that Linux counts of a packet on Ethernet beyond the IP packet.
const COUNTED: u64 = 14;

/// The least rate of a row, in Mbit/s: LibreQoS refuses all rows if one has less.
const LEAST: f64 = 0.1;

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    let most = |shaper: &Result<Shaper, _>| {
        shaper.as_ref().ok().map(|shaper| bandwidth(shaper).as_mbit_f64())
    };
    let [down, up] = match (most(&prescription.down), most(&prescription.up)) {
        (Some(down), Some(up)) if down.min(up) >= LEAST => [down, up],
        (Some(_), Some(_)) => return refused(PlatformError::TooSlow("0.1 Mbit/s")),
        // The row would lift the limit of the other direction.
        (Some(_), None) | (None, Some(_)) => return refused(PlatformError::BothWanted),
        (None, None) => [LEAST; 2],
    };
    // A tenth as the minimum leaves the shares of others as they are.
    let least = |most: f64| (most / 10.0).max(LEAST);
    let row = format!(
        "CIRCUIT,\"CIRCUIT NAME\",DEVICE,\"DEVICE NAME\",PARENT,,,,ADDRESS,,{:.3},{:.3},{down:.3},\
         {up:.3},\"unbloat\"\n",
        least(down),
        least(up)
    );
    Written {
        tested: Tested::Parsed,
        rates: rates(prescription, |shaper| {
            shaper.planned(bandwidth(shaper), Bytes(1500 + COUNTED))
        }),
        steps: vec![Step::new(
            "In ShapedDevices.csv, this row in place of the one that the circuit has, with your names in \
             place of the capital letters:",
            row,
        )],
        check: vec![Step::new(
            "The circuit's throughput and round trip are on the page of lqosd. Its row:",
            "grep -E '^Circuit ID|unbloat' /opt/libreqos/src/ShapedDevices.csv",
        )],
        undo: vec![Step::new("In ShapedDevices.csv, put back the row from before.", "")],
        cannot_say: cannot_say(prescription, wan),
        ..Written::default()
    }
}

fn cannot_say(prescription: &Prescription, wan: &str) -> Vec<CannotSay> {
    const OF_ALL: &str = "its CAKE has one setting for all circuits, in its own configuration";
    let instead = Instead { tins: Some(OF_ALL), no_nat: Some(OF_ALL), rtt: Some(OF_ALL) };
    let always = lacks("what one line adds to each packet (overhead)", LOWER_RATE);
    let wan = lacks_wan(wan, "the circuit's addresses tell what is shaped");
    std::iter::once(always).chain(lacks_wishes(prescription, instead)).chain(wan).collect()
}

fn bandwidth(shaper: &Shaper) -> Rate {
    shaper.plain_bandwidth(COUNTED)
}

/// Reads the rates of the circuit whose comment is `unbloat`, from rows of ShapedDevices.csv with or
/// without its header. LibreQoS finds columns by their names, of which it ignores case and signs.
pub(crate) fn read(text: &str) -> Option<Settings> {
    const NAMES: [&str; 4] = ["downloadmin", "uploadmin", "downloadmax", "uploadmax"];
    let rows: Vec<Vec<String>> = text.lines().map(fields).filter(|row| row.len() > 12).collect();
    let plain_name = |field: &String| {
        field.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
    };
    let header = rows.first()?.iter().map(plain_name).collect::<Vec<_>>();
    let column = |at: usize| {
        let named = header.iter().position(|name| name.trim_end_matches("mbps") == NAMES[at]);
        named.unwrap_or(10 + at)
    };
    let ours = rows.iter().filter(|row| row.iter().any(|field| field == "unbloat"));
    let settings = ours.flat_map(|row| {
        NAMES.iter().enumerate().map(move |(at, name)| {
            let field = row.get(column(at)).map_or("", String::as_str).trim();
            let number = field.parse::<f64>().map(|mbit| format!("{mbit:.3}"));
            ((*name).to_owned(), number.unwrap_or_else(|_| field.to_owned()))
        })
    });
    Some(settings.collect())
}

/// The fields of a row (RFC 4180, without line ends in fields).
fn fields(row: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for sign in row.trim_end().chars() {
        match sign {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            sign => fields.last_mut().expect("there is one").push(sign),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_the_names_of_columns() {
        let row = "7,\"a, b\",8,c,AP,,,,100.64.0.1,,4.52,0.90,45.20,9.04,\"unbloat\"";
        let without_header = read(row).unwrap();
        assert_eq!(without_header[0], ("downloadmin".to_owned(), "4.520".to_owned()));
        assert_eq!(without_header[3], ("uploadmax".to_owned(), "9.040".to_owned()));
        let older = "Circuit ID,Circuit Name,Device ID,Device Name,Parent Node,MAC,IPv4,IPv6,\
                     Download Min Mbps,Upload Min Mbps,Download Max Mbps,Upload Max Mbps,Comment\n\
                     7,\"a, b\",8,c,AP,,100.64.0.1,,4.52,0.9,45.2,9.04,unbloat\n";
        assert_eq!(read(older), Some(without_header));
        assert_eq!(read("no such file\n"), None);
    }
}
