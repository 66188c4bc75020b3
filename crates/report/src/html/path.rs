//! The path of packets as a row of places, those that hold a long queue marked.

use super::cards::class;
use super::escape;
use crate::page::{Addition, Place};

/// The places, from this end to the other one; empty if there are none. A list, so that readers of screens tell
/// their order.
pub(super) fn path(places: &[Place]) -> String {
    if places.is_empty() {
        return String::new();
    }
    let items: String = places.iter().map(place).collect();
    format!("<ol class=\"path\" aria-label=\"The path of your packets\">\n{items}</ol>\n")
}

fn place(place: &Place) -> String {
    let line = |class: &str, text: &str| match text {
        "" => String::new(),
        text => format!("<span class=\"{class}\">{}</span>", escape(text)),
    };
    let added = |it: &Addition| line(&format!("adds{}", class(it.grade)), &it.text);
    let adds: String = place.adds.iter().map(added).collect();
    let worst = class(place.adds.iter().filter_map(|it| it.grade).max());
    let class = match place.adds.is_empty() {
        true => String::new(),
        false => format!(" class=\"guilty{worst}\""),
    };
    let (name, address) = (line("place", &place.name), line("address", &place.address));
    format!("<li{class}>{name}{address}{adds}</li>\n")
}
