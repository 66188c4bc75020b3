//! How long packets wait.
//!
//! CAKE keeps three moving averages for each tin, and moves them with each packet that leaves by a
//! part of the difference (sch_cake.c, `cake_dequeue` and `cake_ewma`): `av_delay` by 1/256,
//! `pk_delay` by 1/4 up and 1/256 down, `sp_delay` by 1/256 up and 1/4 down. While no packet
//! leaves, they stay as they are.

use super::{Cake, Tin};
use crate::explained::compared::Compared;
use crate::explained::quantity::micros;
use crate::number::things;

/// The longest wait that is called short, in microseconds: the delay of others below which
/// `unbloat` calls a line cured.
const SHORT: u64 = 30_000;

/// The packets after which `av_delay`, which begins with 0, has 98 % of its value: 1 - (255/256)^n.
const SETTLED: u64 = 1_024;

/// The longest average of a tin that sends, judged: `7.2 ms on average, which is short`.
pub(super) fn longest(cake: &Compared<Cake>) -> Option<String> {
    let tins = cake.tins().filter(|(_, tin)| tin.sends());
    let tin = tins.map(|(_, tin)| tin.now).max_by_key(|tin| tin.avg_delay_us)?;
    let wait = micros(tin.avg_delay_us);
    Some(match tin.avg_delay_us {
        ..=SHORT => format!("{wait} on average, which is short"),
        _ => format!("{wait} on average, which is long"),
    })
}

/// The waits of the only tin; `None` if there are several, each of which has a sentence.
pub(super) fn sentence(cake: &Compared<Cake>) -> Option<String> {
    let mut tins = cake.tins();
    let (_, tin) = tins.next()?;
    if tins.next().is_some() {
        return None;
    }
    let Tin { target_us, interval_us, .. } = tin.now;
    let [target, interval] = [target_us, interval_us].map(micros);
    Some(format!(
        "{} The AQM lets packets wait {target} (target) for {interval} (interval) before it drops \
         or marks.",
        of_tin(&tin)
    ))
}

/// The three averages of a tin, and what they are worth.
pub(super) fn of_tin(tin: &Compared<Tin>) -> String {
    let Tin { avg_delay_us, peak_delay_us, base_delay_us, sent_packets, .. } = tin.now;
    if sent_packets == 0 {
        return "No packet has arrived yet.".to_owned();
    }
    let [average, peak, least] = [avg_delay_us, peak_delay_us, base_delay_us].map(micros);
    let waits = format!(
        "Packets wait {average} on average (av_delay), near {peak} at the longest (pk_delay) and \
         {least} at the shortest (sp_delay)."
    );
    if !tin.sends() {
        return format!(
            "{waits} These are values of earlier packets: none arrived between the \
             readings."
        );
    }
    match sent_packets {
        ..SETTLED => {
            format!(
                "{waits} After only {}, the average is still too low.",
                things(sent_packets, "packet")
            )
        }
        _ => waits,
    }
}

impl Compared<Tin> {
    /// True if packets came between the readings.
    pub(super) fn sends(&self) -> bool {
        self.growth(|tin| tin.sent_packets) > 0
    }
}
