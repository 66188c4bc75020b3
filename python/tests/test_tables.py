"""Series and packets, as the program writes them and as other libraries read them."""

from __future__ import annotations

import csv
import pickle
import subprocess
from pathlib import Path
from typing import Any, cast

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest
import xarray
from test_run import SMALL

import unbloat

#: A queue that drops.
CODEL = {"link.uplink.queue": "codel"}


@pytest.fixture(scope="module")
def recorded() -> unbloat.Result:
    """A run with series and packets."""
    root = Path(__file__).resolve().parents[2]
    home = root / "scenarios" / "home-uplink.toml"
    return unbloat.run(home, CODEL, duration="8s", warmup="2s", series="50ms", packets=True)


@pytest.fixture
def written(home: Path, program: Path, tmp_path: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The same run of the program: the rows of the series and those of the packets."""
    files = [tmp_path / "series.csv", tmp_path / "packets.csv"]
    typed: list[str | Path] = [program, "sim", home, "-q", "--set", "duration=8s", "--set", "warmup=2s"]
    typed += ["--series", files[0], "--series-step", "50ms", "--packets", files[1]]
    typed += [f"--set={field}={value}" for field, value in CODEL.items()]
    subprocess.run(typed, check=True, capture_output=True)
    series, packets = ([*csv.DictReader(file.open())] for file in files)
    return series, packets


def test_the_program_writes_the_same_tables(recorded: unbloat.Result, written: Any) -> None:
    for table, rows in zip((recorded.series, recorded.packets), written, strict=True):
        assert len(table) == len(rows) > 100
        assert table.columns == list(rows[0])
        # Both write the shortest text of a double.
        for name in table.columns:
            values = pyarrow.array(table[name]).to_pylist()
            for value, row in zip(values, rows, strict=True):
                if isinstance(value, str) or value is None:
                    assert (value or "") == row[name], name
                else:
                    assert value == pytest.approx(float(row[name]), rel=1e-15, abs=0), name


def address(values: Any) -> int:
    place: int = values.__array_interface__["data"][0]
    return place


def test_nobody_copies_the_numbers(recorded: unbloat.Result) -> None:
    table, name = recorded.series, "uplink.forward.backlog_bytes"
    place = address(table[name])
    assert address(numpy.asarray(table[name])) == place
    arrow = pyarrow.table(table)
    assert arrow[name].chunk(0).buffers()[1].address == place
    assert address(polars.DataFrame(table)[name].to_numpy(allow_copy=False)) == place
    labelled = xarray.DataArray(numpy.asarray(table[name]), coords={"time_s": numpy.asarray(table["time_s"])})
    assert address(labelled.values) == place
    # DuckDB scans the table of a variable, by its name.
    series = table  # noqa: F841
    total = duckdb.sql(f'select sum("{name}") from series').fetchone()
    assert total is not None and total[0] == numpy.asarray(table[name]).sum()


def test_pandas_with_types_of_arrow_copies_no_numbers(recorded: unbloat.Result) -> None:
    name = "uplink.forward.backlog_bytes"
    frame = pyarrow.table(recorded.series).to_pandas(types_mapper=pandas.ArrowDtype)
    values = pyarrow.chunked_array(frame[name].array.__arrow_array__())
    assert values.chunk(0).buffers()[1].address == address(recorded.series[name])


def test_pandas_reads_tables(recorded: unbloat.Result) -> None:
    frame = pandas.DataFrame.from_arrow(recorded.packets)  # type: ignore[attr-defined]
    assert list(frame.columns) == recorded.packets.columns
    delivered = frame[frame["fate"] == "delivered"]
    assert len(delivered) > 100
    assert delivered["sojourn_ms"].max() == numpy.nanmax(numpy.asarray(recorded.packets["sojourn_ms"]))


def test_a_table_outlives_its_run(home: Path) -> None:
    values = numpy.asarray(unbloat.run(home, duration="3s", warmup="0s", series="100ms").series["time_s"])
    unbloat.run(home, duration="3s", warmup="0s", series="100ms")
    assert values.tolist() == pytest.approx([step / 10 for step in range(1, 31)])


def test_nobody_writes_into_a_table(recorded: unbloat.Result) -> None:
    with pytest.raises(ValueError, match="read-only"):
        numpy.asarray(recorded.series["time_s"])[0] = 1.0


def test_what_is_missing_is_null_and_not_a_number(recorded: unbloat.Result) -> None:
    departed = recorded.packets["departed_s"]
    dropped = pyarrow.array(departed).null_count
    assert dropped > 0
    assert numpy.isnan(numpy.asarray(departed)).sum() == dropped


def test_the_end_of_a_name_is_enough(recorded: unbloat.Result) -> None:
    small = unbloat.run(SMALL, series="1s").series
    assert small["forward.drops"].name == "uplink.forward.drops"
    assert small.select("time_s", "forward.drops").columns == ["time_s", "uplink.forward.drops"]
    with pytest.raises(KeyError, match=r"drops is the end of several columns: uplink\.forward\.drops, "):
        _ = recorded.series["drops"]
    with pytest.raises(KeyError, match="there is no column rate; there are time_s, "):
        recorded.series.select("rate")
    with pytest.raises(TypeError, match="fate is a column of names"):
        numpy.asarray(recorded.packets["fate"])


def test_a_table_is_read_without_another_library(recorded: unbloat.Result) -> None:
    series, packets = recorded.series, recorded.packets
    assert list(series) == series.columns and list(packets) == packets.columns
    assert "time_s" in series and "uplink.forward.drops" in series
    assert "drops" not in series and "rate" not in series and 3 not in series
    for table in (series, packets):
        for name in table:
            column, values = table[name], pyarrow.array(table[name]).to_pylist()
            assert len(column) == len(values)
            assert column.to_list() == list(column) == values
            assert (column[0], column[-1]) == (values[0], values[-1])
            assert pickle.loads(pickle.dumps(column)).to_list() == values
            assert column[3:9:2] == values[3:9:2] and column[::-1] == values[::-1] and column[5:2] == []
    assert packets["fate"][numpy.int64(0)] in packets["fate"]
    assert None in packets["departed_s"] and "dropped_aqm" in packets["fate"]
    assert {type(value) for value in packets["bytes"]} == {int}


def test_a_row_that_is_not_there_is_refused(recorded: unbloat.Result) -> None:
    column = recorded.series["time_s"]
    for row in (len(column), -len(column) - 1):
        with pytest.raises(
            IndexError, match=f"there is no row {row} in time_s, which has {len(column)} rows"
        ):
            column[row]
    for wrong in ("1", 1.5, None):
        with pytest.raises(TypeError, match=r"a row of time_s is .*; it is a whole number or a slice"):
            column[cast("int", wrong)]


def test_the_column_that_was_meant_is_named(recorded: unbloat.Result) -> None:
    with pytest.raises(KeyError, match=r"there is no column sojurn_ms; did you mean sojourn_ms\? There are "):
        _ = recorded.packets["sojurn_ms"]
    with pytest.raises(KeyError, match=r"did you mean forward\.drops\? There are time_s, "):
        _ = recorded.series["forward.drop"]


def test_a_column_has_a_name(recorded: unbloat.Result) -> None:
    with pytest.raises(TypeError, match="a column is 3; it is the name of one column"):
        recorded.series[cast("str", 3)]
    with pytest.raises(TypeError, match=r"a column is \['time_s'\]; it is the name of one column"):
        recorded.series.select(cast("str", ["time_s"]))


def test_nothing_is_recorded_unasked(home: Path) -> None:
    result = unbloat.run(home, duration="3s", warmup="0s")
    with pytest.raises(ValueError, match="series="):
        _ = result.series
    with pytest.raises(ValueError, match="packets=True"):
        _ = result.packets


@pytest.mark.parametrize(
    ("step", "words"), [("0ms", "is 0"), ("1ns", "at most 10000000"), ("5", "unit"), ("often", "often")]
)
def test_a_wrong_step_is_refused(home: Path, step: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        unbloat.run(home, series=step)


def test_a_table_is_no_array(recorded: unbloat.Result) -> None:
    says = r"a table is no array: pandas\.DataFrame\.from_arrow\(table\) reads it"
    with pytest.raises(TypeError, match=says):
        pandas.DataFrame(recorded.series)
    with pytest.raises(TypeError, match=says):
        numpy.asarray(recorded.packets)
    with pytest.raises(TypeError, match=says):
        numpy.array(recorded.packets, dtype=float)


def test_a_table_is_a_mapping_for_dict(recorded: unbloat.Result) -> None:
    table = recorded.series
    columns = dict(table)
    assert list(columns) == table.keys() == table.columns
    assert columns["time_s"].to_list() == table["time_s"].to_list()
    frame = pandas.DataFrame({name: numpy.asarray(column) for name, column in columns.items()})
    assert frame.shape == (len(table), len(table.columns))


def test_a_selection_has_columns(recorded: unbloat.Result) -> None:
    with pytest.raises(TypeError, match="select has no column; it has the names of some"):
        recorded.series.select()


def test_a_column_is_read_from_its_end(recorded: unbloat.Result) -> None:
    for column in (recorded.series["time_s"], recorded.packets["fate"]):
        assert list(reversed(column)) == column.to_list()[::-1]
    for row in (2**70, -(2**70), -(2**63)):
        with pytest.raises(IndexError, match=f"there is no row {row} in time_s"):
            recorded.series["time_s"][row]
