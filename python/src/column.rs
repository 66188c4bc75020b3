//! Columns of tables, which other libraries read in place.
//!
//! Specification: the Arrow C data interface and its PyCapsules,
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>; for NumPy its array
//! interface, <https://numpy.org/doc/stable/reference/arrays.interface.html>.

use std::ffi::CStr;
use std::iter;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, FieldRef};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList, PySlice, PyString};

use crate::plain::Plain;
use crate::table::failed;

pub(crate) const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

pub(crate) type Capsule<'py> = Bound<'py, PyCapsule>;

/// A column of a table.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Column {
    pub(crate) field: FieldRef,
    pub(crate) values: ArrayRef,
}

#[pymethods]
impl Column {
    /// The column with this name and these values: what `pickle` calls.
    #[new]
    fn unpickled(name: String, plain: Plain) -> PyResult<Self> {
        let values = plain.column()?;
        let field = Field::new(name, values.data_type().clone(), values.null_count() > 0);
        Ok(Self { field: Arc::new(field), values })
    }

    /// The column as objects of Python, which `pickle` keeps.
    fn __getnewargs__(&self) -> PyResult<(&str, Plain)> {
        Ok((self.name(), Plain::of(&self.values)?))
    }

    /// The name of the column.
    #[getter]
    fn name(&self) -> &str {
        self.field.name()
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// The value of a row, which is counted from the end if it is below 0; the list of those of a slice.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = rows.cast::<PySlice>() {
            let places = slice.indices(self.values.len() as isize)?;
            let row = |place: usize| places.start + place as isize * places.step;
            let rows = (0..places.slicelength).map(|place| row(place) as usize);
            return Ok(self.list(py, rows)?.into_any());
        }
        let row = self.row(rows)?;
        self.list(py, iter::once(row))?.get_item(0)
    }

    /// The values, one after the other.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.to_list(py)?.try_iter()
    }

    /// The values, the last one first.
    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.list(py, (0..self.values.len()).rev())?.try_iter()
    }

    /// The values: numbers or names, and None where there is none.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, 0..self.values.len())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Capsule<'py>> {
        let schema = FFI_ArrowSchema::try_from(&*self.field).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Capsule<'py>, Capsule<'py>)> {
        drop(requested_schema);
        Ok((self.__arrow_c_schema__(py)?, array(py, &self.values)?))
    }

    /// The place of the numbers for NumPy, which reads them there. A number that is not there is NaN.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (address, kind) = match self.values.data_type() {
            DataType::Float64 => {
                (self.values.as_primitive::<Float64Type>().values().as_ptr().addr(), "f8")
            }
            DataType::UInt64 => {
                (self.values.as_primitive::<UInt64Type>().values().as_ptr().addr(), "u8")
            }
            _ => {
                let name = self.field.name();
                return Err(PyTypeError::new_err(format!(
                    "{name} is a column of names, which NumPy cannot read in place; pandas and Polars can, \
                     and to_list() copies it"
                )));
            }
        };
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", (self.values.len(),))?;
        interface.set_item("typestr", format!("{order}{kind}"))?;
        // The second part says that nobody may write there.
        interface.set_item("data", (address, true))?;
        Ok(interface)
    }

    fn __repr__(&self) -> String {
        format!("<unbloat.Column {}: {} rows>", self.field.name(), self.values.len())
    }
}

impl Column {
    fn row(&self, index: &Bound<'_, PyAny>) -> PyResult<usize> {
        let (name, rows) = (self.field.name(), self.values.len());
        let none = || {
            let why = format!("there is no row {index} in {name}, which has {rows} rows");
            PyIndexError::new_err(why)
        };
        let place = match index.extract::<i64>() {
            Ok(place) => place,
            Err(error) if error.is_instance_of::<PyOverflowError>(index.py()) => return Err(none()),
            Err(_) => {
                let why = format!("a row of {name} is {index:?}; it is a whole number or a slice");
                return Err(PyTypeError::new_err(why));
            }
        };
        let row = if place < 0 { place.saturating_add(rows as i64) } else { place };
        usize::try_from(row).ok().filter(|row| *row < rows).ok_or_else(none)
    }

    /// The values of these rows, which the column has.
    fn list<'py>(
        &self,
        py: Python<'py>,
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        match self.values.data_type() {
            DataType::Float64 => {
                let numbers = self.values.as_primitive::<Float64Type>();
                let number = |row| numbers.is_valid(row).then(|| numbers.value(row));
                PyList::new(py, rows.map(number))
            }
            DataType::UInt64 => {
                let numbers = self.values.as_primitive::<UInt64Type>();
                PyList::new(py, rows.map(|row| numbers.value(row)))
            }
            _ => {
                let column = self.values.as_dictionary::<Int32Type>();
                let names = column.values().as_string::<i32>().iter();
                let names: Vec<_> =
                    names.map(|name| PyString::new(py, name.unwrap_or_default())).collect();
                let name = |row| &names[column.keys().value(row) as usize];
                PyList::new(py, rows.map(name))
            }
        }
    }
}

/// The capsule of an array, which shares its memory.
pub(crate) fn array<'py>(py: Python<'py>, values: &dyn Array) -> PyResult<Capsule<'py>> {
    PyCapsule::new_with_value(py, FFI_ArrowArray::new(&values.to_data()), ARRAY)
}
