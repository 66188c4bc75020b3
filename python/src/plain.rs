//! Columns as objects of Python, which can be pickled.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, StringArray, UInt64Array};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::columns::Doubles;
use crate::table::failed;

/// A column: the code of its type in NumPy, its numbers as bytes (little-endian), and the names that the
/// numbers of a column of names stand for.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) struct Plain(String, Vec<u8>, Vec<String>);

impl Plain {
    /// The values of a column.
    pub(crate) fn of(values: &ArrayRef) -> PyResult<Self> {
        let plain = |kind: &str, bytes| Self(kind.to_owned(), bytes, Vec::new());
        match values.data_type() {
            DataType::Float64 => {
                let numbers = values.as_primitive::<Float64Type>().values();
                Ok(plain("f8", numbers.iter().flat_map(|number| number.to_le_bytes()).collect()))
            }
            DataType::UInt64 => {
                let numbers = values.as_primitive::<UInt64Type>().values();
                Ok(plain("u8", numbers.iter().flat_map(|number| number.to_le_bytes()).collect()))
            }
            DataType::Dictionary(..) => {
                let column = values.as_dictionary::<Int32Type>();
                let rows = column.keys().values().iter();
                let names = column.values().as_string::<i32>().iter().flatten().map(str::to_owned);
                let bytes = rows.flat_map(|row| row.to_le_bytes()).collect();
                Ok(Self("i4".to_owned(), bytes, names.collect()))
            }
            other => Err(PyTypeError::new_err(format!("a column of {other} cannot be pickled"))),
        }
    }

    /// The column of these values.
    pub(crate) fn column(self) -> PyResult<ArrayRef> {
        let Self(kind, bytes, names) = self;
        match &*kind {
            "f8" => {
                let mut column = Doubles::default();
                // A number that is not there is NaN, and no other is.
                let known = |number: &f64| !number.is_nan();
                numbers(&bytes, f64::from_le_bytes)
                    .for_each(|number| column.push(Some(number).filter(known)));
                Ok(column.finish())
            }
            "u8" => {
                Ok(Arc::new(UInt64Array::from_iter_values(numbers(&bytes, u64::from_le_bytes))))
            }
            "i4" => {
                let rows = Int32Array::from_iter_values(numbers(&bytes, i32::from_le_bytes));
                let names = Arc::new(StringArray::from(names));
                Ok(Arc::new(DictionaryArray::try_new(rows, names).map_err(failed)?))
            }
            _ => Err(PyValueError::new_err(format!("there is no column of {kind}"))),
        }
    }
}

/// The numbers in these bytes.
fn numbers<T, const N: usize>(
    bytes: &[u8],
    number: impl Fn([u8; N]) -> T,
) -> impl Iterator<Item = T> {
    bytes.as_chunks().0.iter().map(move |bytes| number(*bytes))
}
