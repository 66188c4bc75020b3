//! What a Linux machine had at its interface before a change, and the commands that bring it back.

use std::fmt;

use results::CheckedSetting;

use crate::readback::{self, cake, of_interface};
use crate::script::{PATH, ifb};

/// Queues that shape: one of them was set on purpose.
const SHAPERS: [&str; 8] = ["cake", "cake_mq", "cbq", "drr", "hfsc", "htb", "qfq", "tbf"];

/// Queues whose words `tc qdisc show` prints as `tc qdisc add` takes them, but for the `p` behind
/// numbers of packets.
const REPEATABLE: [&str; 5] = ["bfifo", "cake", "codel", "fq_codel", "pfifo"];

/// The lines of the script that begin its parts.
const QUEUES: &str = "== queues";
const REDIRECT: &str = "== redirect";
const DETAILS: &str = "== details";
const FILTERS: &str = "== filters";
const DEVICES: &str = "== devices";
const SHAPE: &str = "== shape";

/// The line behind which the script of an earlier plan of ours comes, if one was kept.
const OURS: &str = "== ours";

/// The script that prints the state: all queues, where the interface sends what comes in, the devices,
/// whether `unbloat shape` is at work there, and the script of an earlier plan of ours.
pub(crate) fn script(wan: &str) -> String {
    format!(
        "echo '{QUEUES}'\ntc qdisc show\n\
         echo '{REDIRECT}'\ntc filter show dev {wan} parent ffff: 2>/dev/null\n\
         echo '{DETAILS}'\ntc -d qdisc show dev {wan} 2>/dev/null\n\
         echo '{FILTERS}'\ntc filter show dev {wan} 2>/dev/null\n\
         echo '{DEVICES}'\nls /sys/class/net\n\
         echo '{SHAPE}'\n\
         ! grep -qs \" @unbloat/shape/$(cat /sys/class/net/{wan}/ifindex 2>/dev/null)\\$\" /proc/net/unix ||\n\
         \x20   echo 'at work'\n\
         [ ! -x {PATH} ] || {{ echo '{OURS}'; cat {PATH}; }}\n"
    )
}

/// What the interface has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// The queue that somebody set; `None` for the system's own.
    root: Option<Root>,
    incoming: Incoming,
    /// True if a table changes the sizes of packets before a queue sees them (tc-stab(8)).
    has_size_table: bool,
    /// True if filters choose classes of the queue.
    has_filters: bool,
    /// True if all of this is what the script of an earlier plan of ours sets.
    is_ours: bool,
    /// True if there is a device of the name through which our download passes.
    has_ifb: bool,
    /// True if `unbloat shape` is at work there, which no queue shows.
    is_shaped_outside: bool,
}

/// What brings back what an interface had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// The script of an earlier plan of ours.
    Ours,
    /// These commands, once what we added is gone.
    Commands(String),
}

impl Before {
    /// The commands that bring back what is not ours.
    pub(crate) fn commands(&self) -> &str {
        match self {
            Self::Ours => "",
            Self::Commands(commands) => commands,
        }
    }
}

/// A queue that somebody set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Root {
    kind: String,
    handle: String,
    words: String,
}

/// What happens to what comes in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Incoming {
    /// Nothing.
    #[default]
    Plain,
    /// All goes through this device.
    Redirected(String),
    /// Something else.
    Filtered,
}

/// The reason why what the interface has is not replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kept {
    /// Somebody shapes there; the user may ask to replace it.
    Shaper(String),
    /// It could not be brought back.
    Unrepeatable(String),
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shaper(what) => write!(f, "somebody shapes there already: {what}"),
            Self::Unrepeatable(what) => write!(
                f,
                "what is there could not be brought back: {what}; remove it yourself first"
            ),
        }
    }
}

impl State {
    /// The state in the script's answer.
    pub(crate) fn parse(answer: &str, wan: &str) -> Self {
        let text = |heading| part(heading, answer).collect::<Vec<_>>().join("\n");
        let queues = text(QUEUES);
        let of_wan = queues.lines().filter_map(|line| Line::parse(line, wan));
        let mut state = Self::default();
        for Line { kind, handle, words } in of_wan {
            let is_root = words.first() == Some(&"root");
            if kind == "ingress" && words.contains(&"ingress_block") {
                state.incoming = Incoming::Filtered;
            } else if kind == "ingress" {
                state.incoming = incoming(&text(REDIRECT));
            } else if kind == "clsact" {
                state.incoming = Incoming::Filtered;
            } else if is_root && handle != "0:" {
                let skipped = if words.get(1) == Some(&"refcnt") { 3 } else { 1 };
                let words = words.get(skipped..).unwrap_or_default().join(" ");
                state.root = Some(Root { kind: kind.into(), handle: handle.into(), words });
            }
        }
        // print_size_table of iproute2's tc/tc_stab.c.
        let is_table = |line: &str| {
            let first = line.split_whitespace().next().unwrap_or_default();
            ["linklayer", "overhead", "mpu"].contains(&first)
        };
        state.has_size_table = part(DETAILS, answer).any(is_table);
        state.has_filters = part(FILTERS, answer).any(|line| line.starts_with("filter "));
        state.has_ifb = part(DEVICES, answer).any(|device| device == ifb(wan));
        state.is_shaped_outside = part(SHAPE, answer).any(|line| line == "at work");
        state.is_ours = state.is_of(&text(OURS), &of_interface(&queues, wan, Some(&ifb(wan))), wan);
        state
    }

    /// True if these queues and what comes in are what this script of ours sets, and nothing more is there.
    fn is_of(&self, script: &str, queues: &str, wan: &str) -> bool {
        let has_root = script.contains("\"$wan\" root cake");
        let incoming = match script.contains("$ifb") {
            true => Incoming::Redirected(ifb(wan)),
            false => Incoming::Plain,
        };
        let script = script.replace("\"$wan\"", wan).replace("\"$ifb\"", &ifb(wan));
        let compared = readback::compare(cake, &script, queues);
        self.root.is_some() == has_root
            && !self.is_shaped_outside
            && self.incoming == incoming
            && !self.has_size_table
            && !self.has_filters
            && compared.is_some_and(|all| all.iter().all(CheckedSetting::is_as_planned))
    }

    /// True if this may be what sqm-scripts have set with a CAKE for each direction that they shape.
    pub(crate) fn may_be_of_sqm(&self, ifb: &str) -> bool {
        let is_redirected = match &self.incoming {
            Incoming::Plain => true,
            Incoming::Redirected(device) => device == ifb,
            Incoming::Filtered => false,
        };
        is_redirected && self.root.as_ref().is_none_or(|root| root.kind.starts_with("cake"))
    }

    /// True if both are the same, whatever the handles of the queues.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let without_handle = |state: &Self| {
            let mut state = state.clone();
            state.root.iter_mut().for_each(|root| root.handle.clear());
            state
        };
        without_handle(self) == without_handle(other)
    }

    /// What brings the state back.
    ///
    /// # Errors
    /// If somebody shapes there, unless that may be replaced, or if it could not be brought back.
    pub(crate) fn before(&self, wan: &str, may_replace: bool) -> Result<Before, Kept> {
        match self.is_ours {
            true => Ok(Before::Ours),
            // The script of a plan deletes that device.
            false if self.has_ifb => {
                let what =
                    format!("the device {}, which no plan in force there has made", ifb(wan));
                Err(Kept::Unrepeatable(what))
            }
            false => self.restore(wan, may_replace).map(Before::Commands),
        }
    }

    /// The commands that bring the state back, once what we added is gone.
    ///
    /// # Errors
    /// As [`before`](Self::before).
    pub(crate) fn restore(&self, wan: &str, may_replace: bool) -> Result<String, Kept> {
        if self.is_shaped_outside {
            let what = format!("`unbloat shape {wan}`, which no plan in force there has started");
            return Err(Kept::Unrepeatable(what));
        }
        let mut commands = String::new();
        if let Some(root) = &self.root {
            let what = format!("{} {}", root.kind, root.words);
            if !REPEATABLE.contains(&root.kind.as_str()) {
                return Err(Kept::Unrepeatable(what));
            }
            if self.has_size_table {
                return Err(Kept::Unrepeatable(format!("{what}, with a size table (stab)")));
            }
            if SHAPERS.contains(&root.kind.as_str()) && !may_replace {
                return Err(Kept::Shaper(what));
            }
            if self.has_filters {
                return Err(Kept::Unrepeatable(format!("{what}, with filters")));
            }
            let Root { kind, handle, .. } = root;
            let words = root.words();
            commands += &format!("tc qdisc add dev {wan} root handle {handle} {kind} {words}\n");
        }
        match &self.incoming {
            Incoming::Plain => {}
            Incoming::Filtered => {
                let what = format!("filters of what comes in at {wan}");
                return Err(Kept::Unrepeatable(what));
            }
            Incoming::Redirected(device) if !may_replace => {
                let what = format!("what comes in at {wan} goes through {device}");
                return Err(Kept::Shaper(what));
            }
            Incoming::Redirected(device) => {
                commands += &crate::script::redirect(wan, device);
            }
        }
        Ok(commands)
    }
}

/// What ends the shapers of others, and what brings them back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The commands that end them.
    pub(crate) end: String,
    /// The commands that bring them back.
    pub(crate) restore: String,
}

impl State {
    /// What ends the shapers of others, for a plan that leaves all other queues as they are.
    ///
    /// # Errors
    /// As [`before`](Self::before).
    pub(crate) fn ending(&self, wan: &str, may_replace: bool) -> Result<Ending, Kept> {
        let mut shapers = self.clone();
        shapers.root = shapers.root.filter(|root| SHAPERS.contains(&root.kind.as_str()));
        let restore = shapers.restore(wan, may_replace)?;
        let mut end = String::new();
        if shapers.root.is_some() {
            end += &format!("tc qdisc del dev {wan} root 2>/dev/null || true\n");
        }
        if shapers.incoming != Incoming::Plain {
            end += &format!("tc qdisc del dev {wan} ingress 2>/dev/null || true\n");
        }
        Ok(Ending { end, restore })
    }
}

impl Root {
    /// The words as `tc qdisc add` takes them: `limit 10240p` is a number for it.
    fn words(&self) -> String {
        let number =
            |word: &str| match word.strip_suffix('p').filter(|it| it.parse::<u32>().is_ok()) {
                Some(number) => number.to_owned(),
                None => word.to_owned(),
            };
        let mut words = self.words.split(' ').map(number).collect::<Vec<_>>();
        // tc prints no word for what fq_codel does not do, and would set it (Linux, fq_codel_init).
        if self.kind == "fq_codel" && !words.iter().any(|word| word == "ecn") {
            words.push("noecn".to_owned());
        }
        // tc prints what it does not take: `unlimited` stands alone (tc-cake(8)).
        words.join(" ").replace("bandwidth unlimited", "unlimited")
    }
}

/// The lines of the answer behind this one, up to the next part.
fn part<'a>(heading: &str, answer: &'a str) -> impl Iterator<Item = &'a str> {
    let behind = answer.lines().skip_while(move |line| *line != heading).skip(1);
    behind.take_while(|line| !line.starts_with("== "))
}

/// A line of `tc qdisc show`: `qdisc KIND HANDLE dev NAME WORDS`.
struct Line<'a> {
    kind: &'a str,
    handle: &'a str,
    words: Vec<&'a str>,
}

impl<'a> Line<'a> {
    /// The line, if it is of this interface.
    fn parse(line: &'a str, wan: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (qdisc, kind, handle) = (words.next()?, words.next()?, words.next()?);
        let (dev, name) = (words.next()?, words.next()?);
        let is_of = qdisc == "qdisc" && dev == "dev" && name == wan;
        is_of.then(|| Self { kind, handle, words: words.collect() })
    }
}

/// What lines that `tc filter show` prints begin with, of a filter that takes all packets and redirects them.
const OF_REDIRECT: [&str; 7] = [
    "not_in_hw",
    "in_hw",
    "match 00000000/00000000 at 0",
    "action order 1: mirred (Egress Redirect to device ",
    "index ",
    "used_hw_stats",
    "hw_stats",
];

/// True if a filter takes packets of all protocols, whatever they hold, and there is nothing more.
fn takes_all(filters: &str) -> bool {
    let is_all = |filter: &str| {
        let words: Vec<&str> = filter.split_whitespace().collect();
        let has = |one: &str, other: &str| words.windows(2).any(|pair| pair == [one, other]);
        has("protocol", "all")
            && !words.contains(&"block")
            && (has("chain", "0") || !words.contains(&"chain"))
    };
    let is_known = |line: &str| match line.strip_prefix("filter ") {
        Some(filter) => is_all(filter),
        None => line.trim().is_empty() || OF_REDIRECT.iter().any(|it| line.trim().starts_with(it)),
    };
    let takes_any =
        filters.contains(" matchall ") || filters.contains("match 00000000/00000000 at 0");
    takes_any && filters.lines().all(is_known)
}

/// What the filters of an interface do with what comes in.
fn incoming(filters: &str) -> Incoming {
    let count = filters.matches("action order").count();
    let to = filters.split_once("Egress Redirect to device ").map(|(_, rest)| rest);
    let device = to.and_then(|rest| rest.split([')', ' ', '\n']).next());
    match (count, device) {
        (1, Some(device)) if takes_all(filters) => Incoming::Redirected(device.to_owned()),
        _ => Incoming::Filtered,
    }
}

#[cfg(test)]
mod tests;
