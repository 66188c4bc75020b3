//! Filters that hand received packets to another device.

use crate::sections::Section;

/// A redirection of what a device receives (act_mirred).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redirect {
    /// The device that receives.
    pub from: String,
    /// The device that the packets are handed to, whose queue they pass; `*` if it is gone.
    pub to: String,
}

impl Redirect {
    /// The redirections of what `tc -d filter show dev FROM ingress` prints.
    pub(crate) fn read<'a>(from: &'a str, section: &Section<'a>) -> impl Iterator<Item = Self> {
        const BEFORE: &str = "mirred (Egress Redirect to device ";
        section.text.lines().filter_map(move |line| {
            let (_, device) = line.split_once(BEFORE)?;
            let (to, _) = device.split_once(')')?;
            Some(Self { from: from.to_owned(), to: to.to_owned() })
        })
    }
}
