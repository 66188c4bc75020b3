//! Cards: grades side by side, each with the figures that it is made of.

use results::Grade;

use super::escape;
use crate::grade::tone;
use crate::page::{Badge, Card};
use crate::style::Tone;

/// The cards in a row; empty if there are none.
pub(super) fn cards(cards: &[Card]) -> String {
    match cards.is_empty() {
        true => String::new(),
        false => {
            format!("<div class=\"cards\">\n{}</div>\n", cards.iter().map(card).collect::<String>())
        }
    }
}

fn card(card: &Card) -> String {
    let badges: String = card.badges.iter().map(badge).collect();
    let grade = card.grade.map_or_else(|| "–".to_owned(), |grade| grade.to_string());
    let why = match card.why.as_str() {
        "" => String::new(),
        why => format!("<p class=\"why\">{}</p>\n", escape(why)),
    };
    format!(
        "<section class=\"card\">\n<h2>{}</h2>\n<p class=\"grade{}\"><span class=\"unseen\">grade \
         </span>{grade}</p>\n{why}<dl>\n{badges}</dl>\n</section>\n",
        escape(&card.title),
        class(card.grade),
    )
}

fn badge(badge: &Badge) -> String {
    format!(
        "<div><dt>{}</dt><dd class=\"badge{}\">{}</dd></div>\n",
        escape(&badge.name),
        class(badge.grade),
        escape(&badge.value)
    )
}

/// The class of a colour behind others.
pub(super) const fn class(grade: Option<Grade>) -> &'static str {
    let Some(grade) = grade else { return "" };
    match tone(grade) {
        Tone::Good => " good",
        Tone::Middling => " middling",
        Tone::Bad => " bad",
        _ => "",
    }
}
