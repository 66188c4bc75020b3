//! Queues to be watched: still pictures, which the scripts of the page set in motion.

use serde_json::{Value, json};

use super::{escape, explanation, in_script, section};
use crate::page::{QueueScene, WatchedPacket, WatchedQueue};

/// The length of a cell, in which a packet stands, in units of the picture.
const CELL: usize = 10;
/// Cells between the edge of the picture and the queue.
const ENTRY: usize = 1;
/// Cells of the wire behind the queue.
const WIRE: usize = 6;

/// The scene: the queues side by side, each with its words, and the data for the scripts.
pub(super) fn queues(scene: &QueueScene) -> String {
    let grid = Grid::of(scene.most);
    let queues: String = scene.queues.iter().map(|queue| figure(queue, scene, &grid)).collect();
    let content = format!(
        "{}<div class=\"queues\">\n{queues}</div>\n<div class=\"queue-tools\"></div>\n\
         <script type=\"application/json\" id=\"queues\">{}</script>\n",
        explanation(&scene.explanation),
        in_script(&data(scene, &grid).to_string()),
    );
    section(&escape(&scene.title), false, &content)
}

/// The places of packets in the picture: rows that are filled in turns from the right and from the left, the
/// lowest first, whose right end is the exit.
struct Grid {
    columns: usize,
    rows: usize,
}

impl Grid {
    /// A grid for so many packets, more than twice as wide as high.
    fn of(most: usize) -> Self {
        const FEWEST: usize = 12;
        let columns = libm::ceil(libm::sqrt(most as f64 * 2.4)) as usize;
        let columns = columns.clamp(FEWEST, 90);
        Self { columns, rows: most.div_ceil(columns).max(2) }
    }

    fn width(&self) -> usize {
        (ENTRY + self.columns + WIRE) * CELL
    }

    fn height(&self) -> usize {
        self.rows * CELL
    }

    /// The middle of place number `index`, counted from the exit.
    fn place(&self, index: usize) -> (usize, usize) {
        let (row, along) = (index / self.columns, index % self.columns);
        let column = if row.is_multiple_of(2) { self.columns - 1 - along } else { along };
        let up = row.min(self.rows - 1) + 1;
        ((ENTRY + column) * CELL + CELL / 2, (self.rows - up) * CELL + CELL / 2)
    }
}

/// A queue as it is at the still moment.
fn figure(queue: &WatchedQueue, scene: &QueueScene, grid: &Grid) -> String {
    let (name, caption) = (escape(&queue.name), escape(&queue.caption));
    let is_there = |packet: &&WatchedPacket| {
        packet.offered_us <= scene.still_us && packet.left_us > scene.still_us
    };
    let places = queue.packets.iter().filter(is_there).enumerate();
    let packets: String = places.map(|(index, it)| packet(it, grid.place(index))).collect();
    let (width, height) = (grid.width(), grid.height());
    let (left, right) = (ENTRY * CELL, (ENTRY + grid.columns) * CELL);
    let heading = if name.is_empty() { String::new() } else { format!("<h3>{name}</h3>\n") };
    format!(
        "<figure class=\"queue\">\n{heading}\
         <svg viewBox=\"-1 -1 {} {}\" role=\"img\" aria-label=\"{caption}\">\
         <rect class=\"buffer\" x=\"{left}\" y=\"0\" width=\"{}\" height=\"{height}\"/>\
         <rect class=\"wire\" x=\"{right}\" y=\"{}\" width=\"{}\" height=\"{CELL}\"/>{packets}</svg>\n\
         <figcaption>{caption}</figcaption>\n</figure>\n",
        width + 2,
        height + 2,
        right - left,
        height - CELL,
        WIRE * CELL,
    )
}

/// A packet in its cell: a square, or a circle that is a little larger.
fn packet(packet: &WatchedPacket, (x, y): (usize, usize)) -> String {
    if packet.is_other {
        return format!("<circle class=\"other\" cx=\"{x}\" cy=\"{y}\" r=\"5.5\"/>");
    }
    let side = if packet.is_short { 4 } else { 8 };
    let (left, top) = (x - side / 2, y - side / 2);
    format!("<rect class=\"load\" x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\"/>")
}

/// What the scripts need: the grid, the times, and of each packet the times and the kind (1 for one that
/// somebody waits for, 2 for a short one, 4 for one that is dropped).
fn data(scene: &QueueScene, grid: &Grid) -> Value {
    let kind = |it: &WatchedPacket| {
        u8::from(it.is_other) + 2 * u8::from(it.is_short) + 4 * u8::from(it.is_dropped)
    };
    let queue = |queue: &WatchedQueue| {
        let of = |value: fn(&WatchedPacket) -> i64| -> Vec<i64> {
            queue.packets.iter().map(value).collect()
        };
        json!({
            "offered": of(|it| it.offered_us),
            "left": of(|it| it.left_us),
            "kind": queue.packets.iter().map(kind).collect::<Vec<_>>(),
        })
    };
    json!({
        "columns": grid.columns, "rows": grid.rows, "cell": CELL, "entry": ENTRY, "wire": WIRE,
        "slowed": scene.slowed, "from": scene.from_s, "length": scene.length_us,
        "still": scene.still_us, "packet": scene.packet_us,
        "queues": scene.queues.iter().map(queue).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_filled_in_turns_from_the_exit_on() {
        let grid = Grid::of(30);
        assert_eq!((grid.columns, grid.rows), (12, 3));
        let row = |index: usize| grid.place(index);
        assert_eq!((row(0), row(11)), ((125, 25), (15, 25)));
        assert_eq!((row(12), row(23)), ((15, 15), (125, 15)));
        assert_eq!(row(24), (125, 5));
    }

    #[test]
    fn the_still_picture_has_who_waits_then() {
        let packet = |offered_us, left_us, is_other| WatchedPacket {
            offered_us,
            left_us,
            is_other,
            ..WatchedPacket::default()
        };
        let packets = vec![
            packet(-5, 10, false),
            packet(0, 20, false),
            packet(5, 30, true),
            packet(15, 40, false),
        ];
        let queue = WatchedQueue { name: "a<b".into(), caption: "Some.".into(), packets };
        let scene = QueueScene { still_us: 12, most: 3, queues: vec![queue], ..Default::default() };
        let html = queues(&scene);
        assert!(
            html.contains("<h3>a&lt;b</h3>") && html.contains("aria-label=\"Some.\""),
            "{html}"
        );
        let count = |class: &str| html.matches(&format!("class=\"{class}\"")).count();
        assert_eq!((count("load"), count("other")), (1, 1));
        assert!(html.contains("\"offered\":[-5,0,5,15]"), "{html}");
    }
}
