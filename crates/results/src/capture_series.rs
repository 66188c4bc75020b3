//! One direction of a connection over time: what a page about a capture draws.

/// What one end of a connection has sent over time, and what became of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CapturedSeries {
    /// The index of the connection in the capture.
    pub connection: usize,
    /// The index of the end that has sent the data.
    pub sender: usize,
    /// Data that had not been sent before: from the first byte to the one behind the last. Bytes are
    /// counted from the first one of the stream.
    pub data: CapturedPoints,
    /// Data that had been sent before.
    pub again: CapturedPoints,
    /// Data before which later data had been seen.
    pub out_of_order: CapturedPoints,
    /// The byte up to which data was acknowledged.
    pub acks: CapturedPoints,
    /// The same, of acknowledgements that repeat the one before.
    pub repeated_acks: CapturedPoints,
    /// Blocks of data beyond a gap that were acknowledged.
    pub sacks: CapturedPoints,
    /// The byte up to which the receiver's window has room.
    pub window_ends: CapturedPoints,
    /// Segments with SYN, FIN or RST.
    pub ends: CapturedPoints,
    /// The data in flight in bytes.
    pub in_flight: CapturedPoints,
    /// The receiver's window in bytes.
    pub windows: CapturedPoints,
    /// Round trips in milliseconds, from the place of the capture to the receiver and back, by
    /// acknowledgements of data that was sent once.
    pub round_trips: CapturedPoints,
    /// The same by timestamps.
    pub echoes: CapturedPoints,
    /// Round trips in milliseconds by timestamps, from the place of the capture to the sender and
    /// back.
    pub echoes_behind: CapturedPoints,
    /// Round trips in milliseconds over the data in flight in bytes, which is in place of the time.
    pub over_flight: CapturedPoints,
    /// The length of a step of the next two in seconds.
    pub step_s: f64,
    /// The time at which the first step begins.
    pub from_s: f64,
    /// The bytes of data of each step.
    pub sent_bytes: Vec<u64>,
    /// The bytes among them that had not been sent before.
    pub new_bytes: Vec<u64>,
}

/// Values over time, with the packets that they are of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CapturedPoints {
    /// The times in seconds since the first packet of the capture.
    pub at_s: Vec<f64>,
    /// The values.
    pub value: Vec<f64>,
    /// The lower ends of ranges, one for each value; empty if the values are no ranges.
    pub low: Vec<f64>,
    /// The numbers of the packets in the capture, from 1, one for each value.
    pub packet: Vec<u64>,
    /// The number of values that there were, of which these are some.
    pub seen: u64,
}

impl CapturedSeries {
    /// All points.
    pub fn all(&self) -> [&CapturedPoints; 14] {
        [
            &self.data,
            &self.again,
            &self.out_of_order,
            &self.acks,
            &self.repeated_acks,
            &self.sacks,
            &self.window_ends,
            &self.ends,
            &self.in_flight,
            &self.windows,
            &self.round_trips,
            &self.echoes,
            &self.echoes_behind,
            &self.over_flight,
        ]
    }

    /// The number of the packet that ended the longest round trip to the receiver; `None` if no
    /// round trip is known.
    pub fn slowest_packet(&self) -> Option<u64> {
        let points = [&self.round_trips, &self.echoes].into_iter();
        let all = points.flat_map(|points| points.value.iter().zip(&points.packet));
        all.max_by(|one, other| one.0.total_cmp(other.0)).map(|(_, packet)| *packet)
    }
}
