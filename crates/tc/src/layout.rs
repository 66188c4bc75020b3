//! Layouts: how the text that tc prints is made of the fields of its JSON. One layout both prints a
//! text and reads it.

mod form;
mod table;

pub(crate) use form::{Form, hex, is_name};
pub use table::StatsTable;
pub(crate) use table::Table;

use units::Excerpt;

use crate::cursor::Cursor;
use crate::{Fields, TcError};

/// The layout of a kind of queue.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The options, on the first line.
    pub(crate) options: &'static [Field],
    /// The statistics, after the counters that all queues have.
    pub(crate) stats: &'static [Field],
    /// The table behind the statistics; `None` for a kind without one.
    pub(crate) table: Option<Table>,
}

/// A field: its name in JSON, and its text. tc leaves out the whole text of a field that is not
/// there.
#[derive(Debug)]
pub(crate) struct Field {
    /// The name in JSON.
    pub(crate) key: &'static str,
    /// The text before the value.
    pub(crate) before: &'static str,
    /// The form of the value.
    pub(crate) form: Form,
    /// The text behind the value.
    pub(crate) after: &'static str,
    /// The least width of the value, which is padded on its left.
    pub(crate) width: usize,
}

/// A field whose value is as wide as it needs to be.
pub(crate) const fn field(
    key: &'static str,
    before: &'static str,
    form: Form,
    after: &'static str,
) -> Field {
    Field { key, before, form, after, width: 0 }
}

/// Writes the text of the fields that are there.
pub(crate) fn print(layout: &[Field], fields: &Fields, out: &mut String) {
    for Field { key, before, form, after, width } in layout {
        let text = fields.get(*key).and_then(|value| form.text(value));
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            *out += before;
            *out += &format!("{text:>width$}");
            *out += after;
        }
    }
}

/// Reads the fields that are there, in the order of the layout. Returns true if there is any.
///
/// # Errors
/// If a value, or the text behind it, is not as tc prints it.
pub(crate) fn read(
    layout: &[Field],
    cursor: &mut Cursor<'_>,
    fields: &mut Fields,
) -> Result<bool, TcError> {
    let mut found = false;
    for field in layout {
        if let Some(value) = field.read(cursor)? {
            fields.insert(field.key.to_owned(), value);
            found = true;
        } else if let Some(value) = field.form.of_absent() {
            fields.insert(field.key.to_owned(), value);
        }
    }
    Ok(found)
}

/// Checks that the fields that are there have the form that the layout says.
///
/// # Errors
/// The first field that has another form.
pub(crate) fn check(layout: &[Field], fields: &Fields) -> Result<(), String> {
    let is_wrong = |field: &&Field| {
        fields.get(field.key).is_some_and(|value| field.form.text(value).is_none())
    };
    layout.iter().find(is_wrong).map_or(Ok(()), |Field { key, form, .. }| {
        let found = fields[*key].to_string();
        Err(format!("`{key}` is {}; it should be {}", Excerpt(&found), form.name()))
    })
}

impl Field {
    /// Reads the field; `None` if it is not here.
    fn read(&self, cursor: &mut Cursor<'_>) -> Result<Option<serde_json::Value>, TcError> {
        let mut ahead = cursor.clone();
        if !ahead.pass(self.before) {
            return Ok(None);
        }
        if self.width > 0 {
            ahead.take_while(|c| c == ' ');
        }
        let place = ahead.clone();
        let Some(value) = self.form.read(&mut ahead) else {
            let is_optional = self.form.is_word();
            return if is_optional { Ok(None) } else { Err(place.unexpected(self.form.name())) };
        };
        if !ahead.pass_to_end(self.after) {
            return Err(ahead.unexpected(&format!("`{}`", self.after.escape_debug())));
        }
        *cursor = ahead;
        Ok(Some(value))
    }
}
