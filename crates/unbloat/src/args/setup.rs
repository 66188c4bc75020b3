//! The arguments of the verbs that set the program up: `unbloat config`, `completions` and `man`.

#[cfg(feature = "setup")]
use std::path::PathBuf;

use super::COMMON;

#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    /// Print the settings as JSON
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,
}

#[cfg(feature = "setup")]
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// Shell for which to print: bash, zsh, fish, elvish or powershell
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(feature = "setup")]
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Folder for a page of each verb; without it, unbloat(1) goes to stdout
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

pub(super) const CONFIG_EXAMPLES: &str = "\
Examples:
  Which settings are in force, and where each comes from:
    unbloat config
  For a program:
    unbloat config --json

A setting is taken from the first of these that has it: an option of the command line, \
an environment variable, the file, the built-in default.

Exit codes: 0 done, 1 failed while running, 2 bad usage or bad settings.";

#[cfg(feature = "setup")]
pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  For bash, from the next shell on:
    mkdir -p ~/.local/share/bash-completion/completions
    unbloat completions bash \\
        > ~/.local/share/bash-completion/completions/unbloat
  For zsh; the folder must be in fpath before compinit runs:
    mkdir -p ~/.zfunc
    unbloat completions zsh > ~/.zfunc/_unbloat
  For fish:
    mkdir -p ~/.config/fish/completions
    unbloat completions fish > ~/.config/fish/completions/unbloat.fish

Exit codes: 0 done, 1 failed while running, 2 bad usage.";

#[cfg(feature = "setup")]
pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  Read the page without installing it:
    unbloat man | man -l -
  Install all pages, so that `man unbloat` and `man unbloat-test` find them:
    unbloat man ~/.local/share/man/man1

Exit codes: 0 done, 1 failed while running, 2 bad usage.";
