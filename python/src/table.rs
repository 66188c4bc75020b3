//! Tables that other libraries read in place: no copy is made of their columns.
//!
//! Specification: the Arrow C data interface and its PyCapsules,
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>.

use std::ffi::CStr;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::ArrowError;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyList};
use units::nearest;

use crate::column::{Capsule, Column, SCHEMA, array};
use crate::errors::run_error;
use crate::plain::Plain;

const STREAM: &CStr = c"arrow_array_stream";

/// The most names of columns in a message.
const NAMED: usize = 20;

/// A table of equally long columns with names.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Table(RecordBatch);

#[pymethods]
impl Table {
    /// The table of these columns: what `pickle` calls.
    #[new]
    fn unpickled(columns: Vec<(String, Plain)>) -> PyResult<Self> {
        let columns = columns.into_iter().map(|(name, plain)| Ok((name, plain.column()?)));
        Self::new(columns.collect::<PyResult<_>>()?)
    }

    /// The columns as objects of Python, which `pickle` keeps.
    fn __getnewargs__(&self) -> PyResult<(Vec<(String, Plain)>,)> {
        let columns = self.columns().into_iter().zip(self.0.columns());
        let plain = columns.map(|(name, values)| Ok((name, Plain::of(values)?)));
        Ok((plain.collect::<PyResult<_>>()?,))
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The names of the columns, as `dict` asks for them.
    fn keys(&self) -> Vec<String> {
        self.columns()
    }

    /// Refuses to be an array, which has columns of one type. pandas asks for it in `DataFrame(table)`, too.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        drop((dtype, copy));
        Err(PyTypeError::new_err(
            "a table is no array: pandas.DataFrame.from_arrow(table) reads it, and \
             numpy.asarray(table[name]) reads a column of numbers",
        ))
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// The names of the columns, one after the other.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.columns())?.try_iter()
    }

    /// True if a column is found by this name.
    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        self.find(name).is_ok()
    }

    /// The column with this name, or the only one whose name ends with it behind a dot.
    fn __getitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<Column> {
        let index = self.find(name)?;
        let field = self.0.schema_ref().fields()[index].clone();
        Ok(Column { field, values: self.0.column(index).clone() })
    }

    /// The table with these columns only, which are found as a single one is.
    #[pyo3(signature = (*names))]
    fn select(&self, names: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        if names.is_empty() {
            return Err(PyTypeError::new_err("select has no column; it has the names of some"));
        }
        let indices = names.iter().map(|name| self.find(name)).collect::<PyResult<Vec<_>>>()?;
        self.0.project(&indices).map(Self).map_err(failed)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Capsule<'py>> {
        let schema = FFI_ArrowSchema::try_from(&**self.0.schema_ref()).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Capsule<'py>, Capsule<'py>)> {
        // A producer may give what it has, whatever is requested.
        drop(requested_schema);
        let array = array(py, &StructArray::from(self.0.clone()))?;
        Ok((self.__arrow_c_schema__(py)?, array))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Capsule<'py>> {
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, STREAM)
    }

    fn __repr__(&self) -> String {
        format!("<unbloat.Table: {} rows; {}>", self.0.num_rows(), listed(self.columns()))
    }
}

impl Table {
    /// The table with these columns, all of one length.
    ///
    /// # Errors
    /// If their lengths differ.
    pub(crate) fn new(columns: Vec<(String, ArrayRef)>) -> PyResult<Self> {
        let column = |(name, values): (String, ArrayRef)| {
            let may_be_null = values.null_count() > 0;
            (name, values, may_be_null)
        };
        let columns = columns.into_iter().map(column);
        RecordBatch::try_from_iter_with_nullable(columns).map(Self).map_err(failed)
    }

    /// The column, or the end of its name, that this name may stand for.
    fn meant(&self, name: &str) -> Option<String> {
        let names = self.columns();
        let dots = |name: &str| name.match_indices('.').map(|(dot, _)| dot + 1).collect::<Vec<_>>();
        let ends = names.iter().flat_map(|it| dots(it).into_iter().map(|start| &it[start..]));
        let known: Vec<&str> = names.iter().map(String::as_str).chain(ends).collect();
        nearest(name, &known).map(str::to_owned)
    }

    fn find(&self, name: &Bound<'_, PyAny>) -> PyResult<usize> {
        let Ok(name) = name.extract::<String>() else {
            let why = format!("a column is {name:?}; it is the name of one column");
            return Err(PyTypeError::new_err(why));
        };
        let fields = self.0.schema_ref().fields();
        if let Some(index) = fields.iter().position(|field| *field.name() == name) {
            return Ok(index);
        }
        let end = format!(".{name}");
        let ends = |index: &usize| fields[*index].name().ends_with(&end);
        match (0..fields.len()).filter(ends).collect::<Vec<_>>()[..] {
            [index] => Ok(index),
            [] => Err(PyKeyError::new_err(format!(
                "there is no column {name}; {} {}",
                self.meant(&name)
                    .map_or("there are".into(), |it| format!("did you mean {it}? There are")),
                listed(self.columns())
            ))),
            ref several => {
                let names = several.iter().map(|index| fields[*index].name().clone()).collect();
                Err(PyKeyError::new_err(format!(
                    "{name} is the end of several columns: {}",
                    listed(names)
                )))
            }
        }
    }
}

/// Some names, and how many there are beside.
fn listed(names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut text = names.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text += &format!(" and {more} more");
    }
    text
}

pub(crate) fn failed(error: ArrowError) -> PyErr {
    run_error(error)
}
