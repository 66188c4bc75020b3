//! What the terminal can show: its columns, and when there are colours on it.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU8, Ordering};

use clap::{ColorChoice, ValueEnum};

/// The times at which there are colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    #[default]
    Auto,
    Always,
    Never,
}

static COLOR: AtomicU8 = AtomicU8::new(0);

/// Sets when results have colours, from now on.
pub(crate) fn set_color(when: When) {
    COLOR.store(when as u8, Ordering::Relaxed);
}

fn color() -> When {
    let now = COLOR.load(Ordering::Relaxed);
    let all = When::value_variants();
    all.iter().copied().find(|when| *when as u8 == now).unwrap_or_default()
}

/// The same for clap, which looks at the streams itself, but takes any terminal of a CI service for
/// one with colours.
pub(crate) fn choice() -> ColorChoice {
    match color() {
        When::Auto if is_plain() => ColorChoice::Never,
        When::Auto => ColorChoice::Auto,
        When::Always => ColorChoice::Always,
        When::Never => ColorChoice::Never,
    }
}

/// True if what is written to the stream has colours: on a terminal, unless `NO_COLOR`
/// (<https://no-color.org>) or `TERM=dumb` is set, or `--color` says otherwise.
pub(crate) fn has_colours(stream: &impl IsTerminal) -> bool {
    match color() {
        When::Always => true,
        When::Never => false,
        When::Auto => stream.is_terminal() && !is_plain(),
    }
}

/// True if the environment asks for text without colours.
fn is_plain() -> bool {
    is_dumb() || variable("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// The columns for text on stdout: those of the terminal, else those that `COLUMNS` names, else as
/// many as any text takes.
pub(crate) fn columns() -> usize {
    let named = || variable("COLUMNS")?.to_str()?.parse().ok();
    let seen = io::stdout().is_terminal().then(|| size_of(io::stdout())?.columns).flatten();
    seen.or_else(named).filter(|columns| *columns > 0).unwrap_or(report::WIDTH)
}

/// The columns for messages on stderr, no more than for other text; `None` where it is no terminal.
pub(crate) fn columns_of_stderr() -> Option<usize> {
    let seen = io::stderr().is_terminal().then(|| size_of(io::stderr())?.columns).flatten();
    seen.map(|columns| columns.min(report::WIDTH))
}

/// The size of a terminal, in characters; `None` where the terminal does not tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) columns: Option<usize>,
    pub(crate) lines: Option<usize>,
}

/// The size of a terminal; `None` where the stream is none, or the system has no question for it.
#[cfg(unix)]
pub(crate) fn size_of(terminal: impl std::os::fd::AsFd) -> Option<Size> {
    let size = rustix::termios::tcgetwinsize(terminal).ok()?;
    let told = |number: u16| Some(usize::from(number)).filter(|number| *number > 0);
    Some(Size { columns: told(size.ws_col), lines: told(size.ws_row) })
}

/// The size of a terminal: `None`, because only Unix is asked.
#[cfg(not(unix))]
pub(crate) fn size_of<T>(_: T) -> Option<Size> {
    None
}

/// True if a text on the stream can be drawn over: it is a terminal whose cursor can be moved.
pub(crate) fn can_draw_over(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && !is_dumb()
}

/// True if the terminal has neither colours nor a cursor that can be moved.
fn is_dumb() -> bool {
    variable("TERM").is_some_and(|terminal| terminal == "dumb")
}

#[expect(clippy::disallowed_methods, reason = "decides how a result looks, never what it is")]
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
