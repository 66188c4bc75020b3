//! Sequence numbers over time: segments, acknowledgements and windows.

use units::Time;

use super::sheet::{Colour, Mark, Place, Sheet, Side};
use crate::event::Event;

/// What is remembered of the acknowledgements of what one end has sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    /// The time and the place of the latest acknowledgement; `None` before the first.
    acked: Option<(Time, u64)>,
    /// The end of the window that was offered last.
    window_end: u64,
}

impl Sequence {
    /// Draws a segment of the end, of a connection that began at `first`.
    pub(super) fn draw_segment(&self, sheet: &mut Sheet, event: &Event<'_>, first: Time) {
        let flags = event.segment.flags;
        draw_letters(sheet, event);
        if flags.is_syn() {
            draw_syn(sheet, event, first);
        } else if flags.is_fin() {
            draw_fin(sheet, event);
        } else {
            draw_data(sheet, event);
        }
        let (at, start) = (event.at, event.effect.start);
        let marks = match (flags.is_cwr(), event.is_marked) {
            (true, true) => "CWR CE",
            (true, false) => "CWR",
            (false, true) => "CE",
            (false, false) => "",
        };
        if !marks.is_empty() {
            sheet.pen(Colour::Yellow).mark(Mark::Diamond, (at, number(start)));
            sheet.text(Side::Above, (at, number(start)), marks);
        }
        if flags.is_urg() && event.segment.data_len > 0 {
            sheet.pen(Colour::Red).text(Side::Above, (at, number(end(event))), "U");
        }
        if flags.is_rst() {
            sheet.pen(Colour::Magenta).text(Side::Above, (at, number(start)), "RST_OUT");
        }
    }

    /// Draws what a segment of the other end acknowledges.
    pub(super) fn draw_ack(&mut self, sheet: &mut Sheet, event: &Event<'_>) {
        let at = event.at;
        let Some(ack) = event.effect.ack else { return };
        let place = (at, number(ack.place));
        let window_end = std::mem::replace(&mut self.window_end, ack.place + event.effect.window);
        if event.segment.flags.is_rst() {
            sheet.pen(Colour::Magenta).text(Side::Above, place, "RST_IN");
            return;
        }
        if event.effect.window == 0 {
            sheet.pen(Colour::Magenta).text(Side::Above, place, "Z");
        }
        if let Some((since, before)) = self.acked {
            draw_step(sheet.pen(Colour::Green), Mark::DownTick, (since, before), (at, ack.place));
            if ack.is_third_duplicate && before == ack.place {
                sheet.text(Side::Above, place, "3");
            }
            if event.segment.flags.is_ece() && !event.segment.flags.is_syn() {
                sheet.pen(Colour::Yellow).mark(Mark::Diamond, place);
            }
            let now = (at, self.window_end);
            draw_step(sheet.pen(Colour::Yellow), Mark::UpTick, (since, window_end), now);
        }
        draw_sacks(sheet, event, ack.place);
        self.acked = Some((at, ack.place));
    }
}

/// The letters of what is unusual about a segment.
fn draw_letters(sheet: &mut Sheet, event: &Event<'_>) {
    let (flags, effect) = (event.segment.flags, &event.effect);
    let above = (event.at, number(end(event)));
    if effect.is_out_of_order {
        sheet.pen(Colour::Pink).text(Side::Above, above, "O");
    }
    if effect.again > 0 && !flags.is_syn() && !flags.is_fin() {
        let letter = if effect.is_twice { "HD" } else { "R" };
        sheet.pen(Colour::Red).text(Side::Above, above, letter);
    }
    if effect.is_probe {
        sheet.pen(Colour::Orange).text(Side::Below, above, "P");
    }
}

fn draw_syn(sheet: &mut Sheet, event: &Event<'_>, first: Time) {
    let (at, start) = (event.at, event.effect.start);
    if event.segment.flags.is_ack() {
        // So that the graphs of both directions begin at the same time.
        sheet.pen(Colour::Green).mark(Mark::Dot, (first, number(start)));
    }
    let [low, high] = [start, start + 1].map(|place| (at, number(place)));
    sheet.pen(colour_of(event, Colour::Orange)).mark(Mark::Diamond, low);
    sheet.text(Side::Above, high, &name(event, "SYN")).mark(Mark::UpArrow, high).line(low, high);
}

fn draw_fin(sheet: &mut Sheet, event: &Event<'_>) {
    let (at, start) = (event.at, event.effect.start);
    let [low, high] = [end(event), end(event) + 1].map(|place| (at, number(place)));
    if event.segment.data_len > 0 {
        let start = (at, number(start));
        sheet.pen(Colour::White).mark(Mark::DownArrow, start).line(start, low);
        sheet.pen(colour_of(event, Colour::Orange));
    } else {
        sheet.pen(colour_of(event, Colour::Orange)).mark(Mark::DownArrow, low);
    }
    sheet.line(low, high).mark(Mark::Square, high).text(Side::Above, high, &name(event, "FIN"));
}

fn draw_data(sheet: &mut Sheet, event: &Event<'_>) {
    let [low, high] = [event.effect.start, end(event)].map(|place| (event.at, number(place)));
    if event.segment.data_len == 0 {
        sheet.pen(Colour::White).mark(Mark::DownArrow, low).mark(Mark::UpArrow, low);
        return;
    }
    sheet.pen(colour_of(event, Colour::White)).mark(Mark::DownArrow, low).line(low, high);
    if event.segment.flags.is_psh() {
        sheet.pen(Colour::White).mark(Mark::Diamond, high).mark(Mark::Dot, high);
    } else {
        sheet.mark(Mark::UpArrow, high);
    }
}

/// Draws a line to the right up to now, and up or down to where it goes on; a tick where it stays.
fn draw_step(sheet: &mut Sheet, tick: Mark, (since, old): (Time, u64), (at, new): (Time, u64)) {
    sheet.line((since, number(old)), (at, number(old)));
    match old == new {
        true => sheet.mark(tick, (at, number(new))),
        false => sheet.line((at, number(old)), (at, number(new))),
    };
}

/// Draws the blocks of data beyond a gap, numbered if there are several.
fn draw_sacks(sheet: &mut Sheet, event: &Event<'_>, ack: u64) {
    let near = |seq: u32| {
        let step = seq.wrapping_sub(event.segment.ack).cast_signed();
        ack.saturating_add_signed(step.into())
    };
    let blocks = event.segment.sack();
    let Some(top) = blocks.iter().map(|(_, right)| near(*right)).max() else { return };
    sheet.pen(Colour::Purple);
    for (index, (left, right)) in blocks.iter().enumerate() {
        let [left, right]: [Place; 2] = [left, right].map(|seq| (event.at, number(near(*seq))));
        sheet.line(left, right).mark(Mark::LevelTick, left).mark(Mark::LevelTick, right);
        if blocks.len() > 1 {
            sheet.text(Side::Right, right, &(index + 1).to_string());
        }
    }
    sheet.text(Side::Above, (event.at, number(top)), "S");
}

/// The colour of a segment: another one if it has come before.
fn colour_of(event: &Event<'_>, usual: Colour) -> Colour {
    match (event.effect.is_twice, event.effect.again) {
        (true, _) => Colour::Blue,
        (false, 1..) => Colour::Red,
        (false, 0) => usual,
    }
}

fn name(event: &Event<'_>, usual: &str) -> String {
    match (event.effect.is_twice, event.effect.again) {
        (true, _) => format!("HD {usual}"),
        (false, 1..) => format!("R {usual}"),
        (false, 0) => usual.into(),
    }
}

/// The place behind the data of a segment.
fn end(event: &Event<'_>) -> u64 {
    event.effect.start + u64::from(event.segment.data_len)
}

/// The sequence number of a place. Behind a wrap of the 32 bits the numbers go on, so that the graph does.
fn number(place: u64) -> f64 {
    /// The place of the sequence number 0.
    const ZERO: i64 = 1 << 32;
    (place.cast_signed() - ZERO) as f64
}
