//! Filters that hand packets to another device.

use crate::sections::Section;

/// A redirection of what a device receives or sends (act_mirred).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redirect {
    /// The device that receives or sends.
    pub from: String,
    /// True if it is what the device sends.
    pub is_sent: bool,
    /// The device that the packets are handed to, whose queue they pass; `*` if it is gone.
    pub to: String,
}

impl Redirect {
    /// The redirections of what `tc -d filter show dev FROM` prints.
    pub(crate) fn read<'a>(
        from: &'a str,
        is_sent: bool,
        section: &Section<'a>,
    ) -> impl Iterator<Item = Self> {
        const BEFORE: &str = "mirred (Egress Redirect to device ";
        section.text.lines().filter_map(move |line| {
            let (_, device) = line.split_once(BEFORE)?;
            let (to, _) = device.split_once(')')?;
            Some(Self { from: from.to_owned(), is_sent, to: to.to_owned() })
        })
    }
}
