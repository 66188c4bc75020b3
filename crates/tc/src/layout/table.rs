//! A table: a column for each object of a list, and a row for each of its fields.

use serde_json::Value;

use super::Field;
use crate::cursor::Cursor;
use crate::{Fields, TcError};

/// A table in which tc prints some of the statistics of a queue, such as the tins of `cake`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatsTable {
    /// The names of the columns: `Best Effort`.
    pub columns: Vec<String>,
    /// The rows: the word that tc has for each (`pk_delay`), and a value for each column.
    pub rows: Vec<(&'static str, Vec<String>)>,
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    /// The name of the list in JSON.
    pub(crate) key: &'static str,
    /// The names of the columns, given their number.
    pub(crate) columns: fn(usize) -> Vec<String>,
    /// The most columns.
    pub(crate) most: usize,
    /// The rows. The text of a field is the row's name, its form that of the row's values.
    pub(crate) rows: &'static [Field],
}

impl Table {
    /// Writes the table if there is one.
    pub(crate) fn print(&self, fields: &Fields, out: &mut String) {
        let columns = self.listed(fields);
        if columns.is_empty() {
            return;
        }
        *out += &self.heading(columns.len());
        for (row, texts) in self.texts(columns) {
            *out += row.before;
            texts.for_each(|text| *out += &format!(" {text:>width$}", width = row.width));
            *out += row.after;
        }
    }

    /// The texts of the table, for others to set; `None` if there is no table.
    pub(crate) fn stats(&self, fields: &Fields) -> Option<StatsTable> {
        let columns = self.listed(fields);
        let rows = self.texts(columns).map(|(row, texts)| (row.before.trim(), texts.collect()));
        let table = || StatsTable { columns: (self.columns)(columns.len()), rows: rows.collect() };
        (!columns.is_empty()).then(table)
    }

    /// The objects of the list; none if there is no list.
    fn listed<'a>(&self, fields: &'a Fields) -> &'a [Value] {
        fields.get(self.key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The line above the columns.
    fn heading(&self, columns: usize) -> String {
        let names = (self.columns)(columns);
        format!(
            "          {}\n",
            names.iter().map(|name| format!(" {name:>12}")).collect::<String>()
        )
    }

    /// The rows that are there, each with its values. As in tc, the first column decides which are.
    fn texts<'a>(
        &self,
        columns: &'a [Value],
    ) -> impl Iterator<Item = (&'static Field, impl Iterator<Item = String> + use<'a>)> + use<'a>
    {
        let is_there = |row: &&Field| columns.first().is_some_and(|it| it.get(row.key).is_some());
        let text = |row: &'static Field| {
            move |column: &Value| {
                let text = column.get(row.key).and_then(|value| row.form.text(value));
                text.unwrap_or_default()
            }
        };
        self.rows.iter().filter(is_there).map(move |row| (row, columns.iter().map(text(row))))
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
        let number = (1..=self.most).find(|number| cursor.pass(&self.heading(*number)));
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
