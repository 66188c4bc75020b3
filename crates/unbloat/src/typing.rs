//! Slips in what was typed that are told before the arguments are parsed.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use units::nearest;

use crate::failure::Failure;

/// Quotes that word processors and web pages write, and that a shell does not know.
const TYPOGRAPHIC: [char; 9] = ['“', '”', '„', '‟', '‘', '’', '‚', '«', '»'];

/// Fails if an argument begins with a typographic quote, itself or behind `=`.
///
/// # Errors
/// The failure names the argument and the quotes to type.
pub(crate) fn check_quotes(typed: &[OsString]) -> Result<(), Failure> {
    let ours = typed.iter().skip(1).take_while(|word| *word != "--");
    match ours.filter_map(|word| word.to_str()).find(|word| is_quoted(word)) {
        None => Ok(()),
        Some(word) => Err(Failure::Input(format!(
            "{} has a typographic quote, which a shell does not know; type \" or ' instead",
            report::printable(word)
        ))),
    }
}

fn is_quoted(word: &str) -> bool {
    let begins = |text: &str| text.starts_with(TYPOGRAPHIC);
    let value = word.split_once('=').map_or("", |(_, value)| value);
    (begins(word) || begins(value)) && !Path::new(word).exists()
}

/// Adds to an error of the parser the verb or the option that was probably meant, if the parser has found none.
pub(crate) fn suggest(error: &mut clap::Error, command: &clap::Command, typed: &[OsString]) {
    let (wrong, suggested) = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand)
        }
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        _ => return,
    };
    let Some(ContextValue::String(word)) =
        error.get(wrong).filter(|_| error.get(suggested).is_none())
    else {
        return;
    };
    let verb = deepest(command, typed);
    let near = match suggested {
        ContextKind::SuggestedSubcommand => {
            let names: Vec<&str> = verb.get_subcommands().map(clap::Command::get_name).collect();
            nearest(word, &names).map(|name| ContextValue::Strings(vec![name.to_owned()]))
        }
        _ => {
            let all = verb.get_arguments().chain(command.get_arguments());
            let names: Vec<&str> = all.filter_map(clap::Arg::get_long).collect();
            let typed = word.trim_start_matches('-');
            nearest(typed, &names).map(|name| ContextValue::String(format!("--{name}")))
        }
    };
    if let Some(near) = near {
        error.insert(suggested, near);
    }
}

/// The command of the last verb that was typed: `watch export` of `unbloat watch export --ot`.
fn deepest<'c>(command: &'c clap::Command, typed: &[OsString]) -> &'c clap::Command {
    typed.iter().skip(1).fold(command, |found, word| found.find_subcommand(word).unwrap_or(found))
}

/// True if the version is asked for behind a verb: `unbloat test --version`.
pub(crate) fn asks_version(command: &clap::Command, typed: &[OsString]) -> bool {
    let is_verb = |word: &OsStr| command.find_subcommand(word).is_some();
    match typed {
        [_, verb, option] => is_verb(verb) && (option == "--version" || option == "-V"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(words: &str) -> Vec<OsString> {
        words.split(' ').map(Into::into).collect()
    }

    #[test]
    fn a_pasted_quote_is_told() {
        for wrong in [
            "unbloat lab --queue “bfifo limit 256kB” -- true",
            "unbloat sim home.toml --set link.uplink.queue=‘codel’",
            "unbloat sweep home.toml --vary=“seed=1..10”",
        ] {
            assert!(check_quotes(&typed(wrong)).is_err(), "{wrong}");
        }
        for right in ["unbloat lab -- echo “quoted”", "unbloat sim home.toml --set title=It’s"]
        {
            assert!(check_quotes(&typed(right)).is_ok(), "{right}");
        }
    }

    #[test]
    fn the_version_may_be_asked_for_behind_a_verb() {
        let command = clap::Command::new("unbloat").subcommand(clap::Command::new("test"));
        let asks = |words: &str| asks_version(&command, &typed(words));
        assert!(asks("unbloat test --version") && asks("unbloat test -V"));
        assert!(!asks("unbloat tset --version") && !asks("unbloat test host --version"));
    }
}
