//! A table: a column for each object of a list, and a row for each of its fields.

use serde_json::Value;

use super::Field;
use crate::cursor::Cursor;
use crate::{Fields, TcError};

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    /// The name of the list in JSON.
    pub(crate) key: &'static str,
    /// The line above the columns, given their number.
    pub(crate) heading: fn(usize) -> String,
    /// The most columns.
    pub(crate) most: usize,
    /// The rows. The text of a field is the row's name, its form that of the row's values.
    pub(crate) rows: &'static [Field],
}

impl Table {
    /// Writes the table if there is one.
    pub(crate) fn print(&self, fields: &Fields, out: &mut String) {
        let Some(columns) = fields.get(self.key).and_then(Value::as_array) else { return };
        if columns.is_empty() {
            return;
        }
        *out += &(self.heading)(columns.len());
        // As in tc, the first column decides which rows there are.
        for row in self.rows.iter().filter(|row| columns[0].get(row.key).is_some()) {
            *out += row.before;
            for column in columns {
                let text = column.get(row.key).and_then(|value| row.form.text(value));
                *out += &format!(" {:>width$}", text.unwrap_or_default(), width = row.width);
            }
            *out += row.after;
        }
    }

    /// Reads the table. Returns false if there is none.
    ///
    /// # Errors
    /// If a row has another number of values than there are columns, or a value has another form.
    pub(crate) fn read(
        &self,
        cursor: &mut Cursor<'_>,
        fields: &mut Fields,
    ) -> Result<bool, TcError> {
        let number = (1..=self.most).find(|number| cursor.pass(&(self.heading)(*number)));
        let Some(number) = number else { return Ok(false) };
        let mut columns = vec![Fields::new(); number];
        for row in self.rows {
            if !cursor.pass(row.before) {
                continue;
            }
            for column in &mut columns {
                cursor.take_while(|c| c == ' ');
                let place = cursor.clone();
                let value = row.form.read(cursor);
                let value = value.ok_or_else(|| place.unexpected(row.form.name()))?;
                column.insert(row.key.to_owned(), value);
            }
            if !cursor.pass(row.after) {
                return Err(cursor.unexpected("the end of the line"));
            }
        }
        fields.insert(self.key.to_owned(), columns.into_iter().map(Value::from).collect());
        Ok(true)
    }

    /// Checks that the list, if there is one, has objects whose fields have their forms.
    ///
    /// # Errors
    /// The first that has not.
    pub(crate) fn check(&self, fields: &Fields) -> Result<(), String> {
        let Some(columns) = fields.get(self.key) else { return Ok(()) };
        let wrong = || format!("`{}` should be a list of at most {} objects", self.key, self.most);
        let columns = columns.as_array().filter(|columns| columns.len() <= self.most);
        for column in columns.ok_or_else(wrong)? {
            super::check(self.rows, column.as_object().ok_or_else(wrong)?)?;
        }
        Ok(())
    }
}
