//! LibreQoS: one subscriber's row of ShapedDevices.csv, in Mbit/s.
//!
//! Specification: LibreQoS 2.2, documentation of ShapedDevices.csv. The order of its columns: circuit
//! ID and name, device ID and name, parent node and its ID, anchor node ID, MAC, IPv4, IPv6, download
//! and upload minimum, download and upload maximum, comment.

use remedy::{Prescription, Shaper};
use results::{Step, Tested};
use units::{Bytes, Rate};

use crate::written::{LOWER_RATE, Written, lacks, rates};

/// The bytes that Linux counts of a packet on Ethernet beyond the IP packet.
const COUNTED: u64 = 14;

/// The rate of a direction that is not shaped, in Mbit/s.
const OPEN: f64 = 10_000.0;

pub(crate) fn write(prescription: &Prescription, _wan: &str) -> Written {
    let most = |shaper: &Result<Shaper, _>| match shaper {
        Ok(shaper) => bandwidth(shaper).as_mbit_f64(),
        Err(_) => OPEN,
    };
    let (down, up) = (most(&prescription.down), most(&prescription.up));
    // A tenth as the minimum leaves the shares of others as they are.
    let row = format!(
        "CIRCUIT,\"CIRCUIT NAME\",DEVICE,\"DEVICE NAME\",PARENT,,,,ADDRESS,,{:.2},{:.2},{down:.2},\
         {up:.2},\"unbloat\"\n",
        down / 10.0,
        up / 10.0
    );
    Written {
        tested: Tested::Documentation,
        rates: rates(prescription, |shaper| {
            shaper.planned(bandwidth(shaper), Bytes(1500 + COUNTED))
        }),
        steps: vec![Step::new(
            "In ShapedDevices.csv, the row of this circuit, with your names in place of the capital \
             letters:",
            row,
        )],
        check: vec![Step::new(
            "The circuit's throughput and round trip are on the page of lqosd.",
            "",
        )],
        undo: vec![Step::new("The row from before.", "")],
        cannot_say: vec![lacks("overhead of one line", LOWER_RATE)],
    }
}

fn bandwidth(shaper: &Shaper) -> Rate {
    shaper.plain_bandwidth(COUNTED)
}
