//! `unbloat completions` and `unbloat man`: what shells and `man` know of the command line, from its
//! own definitions.

use std::io;

use clap::{Command, CommandFactory};

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::output;
use crate::staged::Staged;
use crate::version;

/// Prints the completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "unbloat", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Writes the manual pages into a folder, or prints the first one.
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    // `help` has no page.
    let command = Args::command().disable_help_subcommand(true);
    let mut command = command.mut_subcommands(|below| below.disable_help_subcommand(true));
    command.build();
    let Some(folder) = &args.folder else {
        return output::print(&String::from_utf8_lossy(&page(&command, "unbloat")?));
    };
    let failed = |error: io::Error| Failure::Input(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut pages = Vec::new();
    gather(&command, "unbloat", &mut pages)?;
    let mut files = Vec::new();
    for (name, page) in &pages {
        let file = Staged::create(&folder.join(format!("{name}.1")))?;
        file.write(page)?;
        files.push(file);
    }
    crate::staged::commit_all(files)
}

/// The pages of a command and of those below it, by their names: `unbloat-watch-export`.
fn gather(
    command: &Command,
    name: &str,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> Result<(), Failure> {
    pages.push((name.to_owned(), page(command, name)?));
    let mut below = command.get_subcommands();
    below.try_for_each(|below| gather(below, &format!("{name}-{}", below.get_name()), pages))
}

/// A manual page: what clap knows, and the examples as they are typed.
fn page(command: &Command, name: &str) -> Result<Vec<u8>, Failure> {
    let manual = clap_mangen::Man::new(command.clone());
    let mut page = title(name).into_bytes();
    let rendered = (|| {
        manual.render_name_section(&mut page)?;
        manual.render_synopsis_section(&mut page)?;
        manual.render_description_section(&mut page)?;
        if command.get_arguments().next().is_some() {
            manual.render_options_section(&mut page)?;
        }
        if command.get_subcommands().next().is_some() {
            manual.render_subcommands_section(&mut page)?;
        }
        page.extend(roff(&command.get_after_help().map(ToString::to_string).unwrap_or_default()));
        Ok(())
    })();
    let failed = |error: io::Error| Failure::Run(format!("the page of {name}: {error}"));
    rendered.map_err(failed)?;
    Ok(page)
}

/// The line with which a page begins: name, section, date and source. That of clap_mangen leaves out a
/// date that is not known, and so takes the source for it.
fn title(name: &str) -> String {
    format!(".TH {} 1 \"{}\" \"unbloat {}\"\n", plain(name), version::DATE, version::NUMBER)
}

/// The end of a help text for `man`. Lists, which are indented, keep their lines; what stands above
/// them without an indent is their heading. Each other line is a paragraph.
fn roff(text: &str) -> Vec<u8> {
    let mut page = String::new();
    let mut notes = ".SH NOTES\n";
    for part in text.split("\n\n").filter(|part| !part.is_empty()) {
        let is_list = |text: &str| text.starts_with(' ');
        match part.split_once(":\n") {
            Some((heading, list)) if is_list(list) && !is_list(heading) => {
                page += &format!(".SH \"{}\"\n{}", plain(&heading.to_uppercase()), unfilled(list));
            }
            _ if is_list(part) => page += &(".PP\n".to_owned() + &unfilled(part)),
            _ => {
                for line in part.lines() {
                    page += &format!("{notes}{}\n", plain(line));
                    notes = ".PP\n";
                }
            }
        }
    }
    page.into_bytes()
}

fn unfilled(text: &str) -> String {
    format!(".nf\n{}\n.fi\n", plain(text))
}

/// Text that roff shows as it is: no backslash, dash or dot at the beginning of a line means anything
/// else (groff(7), "Escape sequences" and "Control characters").
fn plain(text: &str) -> String {
    let line = |line: &str| line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    let lines = text
        .lines()
        .map(|it| if it.starts_with('.') { "\\&".to_owned() + &line(it) } else { line(it) });
    lines.collect::<Vec<_>>().join("\n")
}
