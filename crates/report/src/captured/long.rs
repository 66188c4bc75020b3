//! A connection of a capture in the lines and with the names of `tcptrace -l -r -W`, for those who know
//! them, and so that both can be compared.

use std::fmt::Display;

use results::{CapturedCompletion, CapturedConnection, CapturedEnd, CapturedTimes};

use crate::foreign::rfc3339;

/// What stands in place of a figure that there is not.
const NOT_APPLICABLE: &str = "NA";

/// All connections, numbered from 1.
pub fn captured_long(connections: &[CapturedConnection]) -> String {
    let numbered = connections.iter().zip(1..);
    let blocks: Vec<_> = numbered.map(|(connection, number)| long(connection, number)).collect();
    blocks.join("\n")
}

/// The names that tcptrace gives to the two ends of a connection, counted from 1: `a` and `b`, then `c` and `d`, ... `y`
/// and `z`, `aa` and `ab`.
pub fn captured_letters(number: usize) -> [String; 2] {
    [2 * number - 2, 2 * number - 1].map(|mut index| {
        let mut name = String::new();
        loop {
            name.insert(0, char::from(b'a' + (index % 26) as u8));
            if index < 26 {
                return name;
            }
            index = index / 26 - 1;
        }
    })
}

fn long(connection: &CapturedConnection, number: usize) -> String {
    let [a, b] = captured_letters(number);
    let mut text = format!("TCP connection {number}:\n");
    for (letter, end) in [(&a, &connection.ends[0]), (&b, &connection.ends[1])] {
        text += &format!("\thost {:<10} {}:{}\n", format!("{letter}:"), end.address, end.port);
    }
    let count = |count: fn(&CapturedEnd) -> u64| {
        connection.ends.iter().filter(|end| count(end) > 0).count()
    };
    let ends = format!(
        "\t(SYNs: {})  (FINs: {})",
        count(|end| end.counts.syns),
        count(|end| end.counts.fins)
    );
    let complete = match connection.completion {
        CapturedCompletion::Complete => "yes".to_owned(),
        CapturedCompletion::Reset => format!("RESET{ends}"),
        CapturedCompletion::Partial => format!("no{ends}"),
    };
    let packets: u64 = connection.ends.iter().map(|end| end.counts.packets).sum();
    text += &format!("\tcomplete conn: {complete}\n");
    text += &format!("\tfirst packet:  {}\n", rfc3339(connection.first_s));
    text += &format!("\tlast packet:   {}\n", rfc3339(connection.first_s + connection.elapsed_s));
    text += &format!("\telapsed time:  {:.6} secs\n", connection.elapsed_s);
    text += &format!("\ttotal packets: {packets}\n");
    text += &format!("   {a}->{b}:{:28}{b}->{a}:\n", "");
    for row in rows(&connection.ends, connection.elapsed_s > 0.0) {
        let [left, right] = row.values.map(|value| format!("{value:>9} {:<6}", row.unit));
        let name = format!("{}:", row.name);
        text += format!("     {name:<18} {left}  {name:<18} {right}").trim_end();
        text.push('\n');
    }
    text
}

/// A figure of both ends.
struct Row {
    name: &'static str,
    unit: &'static str,
    values: [String; 2],
}

/// A row of this figure.
fn row<T: Display>(
    ends: &[CapturedEnd; 2],
    name: &'static str,
    unit: &'static str,
    figure: impl Fn(&CapturedEnd) -> T,
) -> Row {
    Row { name, unit, values: [0, 1].map(|index| figure(&ends[index]).to_string()) }
}

/// A figure, or that there is none.
fn or_none<T: Display>(figure: Option<T>) -> String {
    figure.map_or_else(|| NOT_APPLICABLE.into(), |figure| figure.to_string())
}

const fn yes(is_so: bool) -> char {
    if is_so { 'Y' } else { 'N' }
}

/// All figures, in the order of tcptrace. What is nowhere is left out, where tcptrace leaves it out.
fn rows(ends: &[CapturedEnd; 2], takes_time: bool) -> Vec<Row> {
    let any = |is_so: fn(&CapturedEnd) -> bool| ends.iter().any(is_so);
    let row = |name, unit, figure: fn(&CapturedEnd) -> String| row(ends, name, unit, figure);
    let mut rows = vec![row("total packets", "", |end| end.counts.packets.to_string())];
    if any(|end| end.counts.resets > 0) {
        rows.push(row("resets sent", "", |end| end.counts.resets.to_string()));
    }
    rows.extend(sent(ends));
    if any(|end| end.counts.window_scale.is_some() || end.counts.has_timestamps) {
        rows.push(row("req 1323 ws/ts", "", |end| {
            format!("{}/{}", yes(end.counts.window_scale.is_some()), yes(end.counts.has_timestamps))
        }));
    }
    if any(|end| end.counts.window_scale.is_some()) {
        let is_scaled = ends.iter().all(|end| end.counts.window_scale.is_some());
        rows.push(self::row(ends, "adv wind scale", "", |end| {
            end.counts.window_scale.filter(|_| is_scaled).unwrap_or(0)
        }));
    }
    if any(|end| end.counts.accepts_sack) {
        rows.push(row("req sack", "", |end| yes(end.counts.accepts_sack).to_string()));
        rows.push(row("sacks sent", "", |end| end.counts.sack_segments.to_string()));
    }
    rows.extend(sizes(ends));
    if any(|end| end.hardware_duplicates > 0) {
        rows.push(row("hardware dups", "segs", |end| end.hardware_duplicates.to_string()));
    }
    let unit = if takes_time { "Bps" } else { "" };
    rows.push(row("throughput", unit, |end| {
        or_none(end.throughput_bytes_per_s.map(|rate| format!("{rate:.0}")))
    }));
    rows.extend(times(ends));
    rows
}

/// What was sent, and how.
fn sent(ends: &[CapturedEnd; 2]) -> Vec<Row> {
    let row = |name, figure: fn(&CapturedEnd) -> u64| row(ends, name, "", figure);
    let mut rows = vec![
        row("ack pkts sent", |end| end.counts.acks),
        row("pure acks sent", |end| end.counts.pure_acks),
        row("sack pkts sent", |end| end.counts.sacks),
        row("dsack pkts sent", |end| end.counts.duplicate_sacks),
        row("max sack blks/ack", |end| end.counts.most_sack_blocks),
        row("unique bytes sent", |end| end.counts.unique_bytes),
        row("actual data pkts", |end| end.counts.data_packets),
        row("actual data bytes", |end| end.counts.data_bytes),
        row("rexmt data pkts", |end| end.counts.retransmitted_packets),
        row("rexmt data bytes", |end| end.counts.retransmitted_bytes),
        row("zwnd probe pkts", |end| end.counts.window_probes),
        row("zwnd probe bytes", |end| end.counts.window_probe_bytes),
        row("outoforder pkts", |end| end.counts.out_of_order),
        row("pushed data pkts", |end| end.counts.pushed),
    ];
    let syns = self::row(ends, "SYN/FIN pkts sent", "", |end| {
        format!("{}/{}", end.counts.syns, end.counts.fins)
    });
    rows.push(syns);
    rows
}

/// Sizes of segments, windows and streams.
fn sizes(ends: &[CapturedEnd; 2]) -> Vec<Row> {
    let bytes = |name, figure: fn(&CapturedEnd) -> u64| row(ends, name, "bytes", figure);
    let packets = |name, figure: fn(&CapturedEnd) -> u64| row(ends, name, "pkts", figure);
    vec![
        packets("urgent data pkts", |end| end.counts.urgent_packets),
        bytes("urgent data bytes", |end| end.counts.urgent_bytes),
        bytes("mss requested", |end| end.counts.mss.unwrap_or(0).into()),
        bytes("max segm size", |end| end.largest_segment.unwrap_or(0)),
        bytes("min segm size", |end| end.smallest_segment.unwrap_or(0)),
        bytes("avg segm size", |end| {
            mean(end.counts.data_bytes as f64, end.counts.data_packets, 1e-3) as u64
        }),
        bytes("max win adv", |end| end.largest_window),
        bytes("min win adv", |end| end.smallest_window),
        row(ends, "zero win adv", "times", |end| end.zero_windows),
        bytes("avg win adv", |end| end.mean_window),
        bytes("max owin", |end| end.most_in_flight),
        bytes("min non-zero owin", |end| end.least_in_flight),
        bytes("avg owin", |end| end.mean_in_flight),
        row(ends, "wavg owin", "bytes", |end| or_none(end.mean_in_flight_over_time)),
        bytes("initial window", |end| end.counts.initial_bytes),
        packets("initial window", |end| end.counts.initial_packets),
        row(ends, "ttl stream length", "bytes", |end| or_none(end.stream_bytes)),
        row(ends, "missed data", "bytes", |end| or_none(end.missed_bytes)),
        bytes("truncated data", |end| end.counts.truncated_bytes),
        packets("truncated packets", |end| end.counts.truncated_packets),
        row(ends, "data xmit time", "secs", |end| format!("{:.3}", end.data_s)),
        row(ends, "idletime max", "ms", |end| {
            or_none(end.longest_idle_ms.map(|idle| format!("{idle:.1}")))
        }),
    ]
}

/// A mean as tcptrace has it, which adds a little to the number, so that it never divides by zero.
fn mean(sum: f64, count: u64, little: f64) -> f64 {
    sum / (count as f64 + little)
}

/// Round trips and retransmissions.
fn times(ends: &[CapturedEnd; 2]) -> Vec<Row> {
    let count = |name, figure: fn(&CapturedEnd) -> u64| row(ends, name, "", figure);
    let millis = |name, figure: fn(&CapturedEnd) -> Option<f64>| {
        row(ends, name, "ms", |end| format!("{:.1}", figure(end).unwrap_or(0.0)))
    };
    let mut rows = vec![count("RTT samples", |end| end.round_trips.count)];
    rows.extend(spread(ends, ["RTT min", "RTT max", "RTT avg", "RTT stdev"], |end| {
        &end.round_trips
    }));
    rows.push(millis("RTT from 3WHS", |end| end.handshake_ms));
    rows.push(count("RTT full_sz smpls", |end| end.full_sized_round_trips.count));
    let names = ["RTT full_sz min", "RTT full_sz max", "RTT full_sz avg", "RTT full_sz stdev"];
    rows.extend(spread(ends, names, |end| &end.full_sized_round_trips));
    rows.push(count("post-loss acks", |end| end.acks_after_loss));
    if ends.iter().any(|end| end.ambiguous_round_trips.count > 0) {
        rows.push(count("ambiguous acks", |end| end.ambiguous_round_trips.count));
        let names = ["RTT min (last)", "RTT max (last)", "RTT avg (last)", "RTT sdv (last)"];
        rows.extend(spread(ends, names, |end| &end.ambiguous_round_trips));
    }
    rows.push(count("segs cum acked", |end| end.cumulatively_acked));
    rows.push(count("duplicate acks", |end| end.duplicate_acks));
    rows.push(count("triple dupacks", |end| end.triple_duplicate_acks));
    rows.push(count("max # retrans", |end| end.most_retransmissions));
    let names = ["min retr time", "max retr time", "avg retr time", "sdv retr time"];
    rows.extend(spread(ends, names, |end| &end.retransmission_times));
    rows
}

fn mean_time(times: &CapturedTimes) -> Option<f64> {
    Some(mean(times.mean? * times.count as f64, times.count, 1e-4))
}

/// The four figures of times.
fn spread(
    ends: &[CapturedEnd; 2],
    names: [&'static str; 4],
    times: fn(&CapturedEnd) -> &CapturedTimes,
) -> [Row; 4] {
    let figures: [fn(&CapturedTimes) -> Option<f64>; 4] =
        [|it| it.min, |it| it.max, mean_time, |it| it.deviation];
    [0, 1, 2, 3].map(|index| {
        row(ends, names[index], "ms", |end| {
            format!("{:.1}", figures[index](times(end)).unwrap_or(0.0))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_called_as_tcptrace_calls_them() {
        let names = [1, 2, 13, 14, 351, 352].map(|number| captured_letters(number).join(" "));
        assert_eq!(names, ["a b", "c d", "y z", "aa ab", "zy zz", "aaa aab"]);
    }
}
