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

/// The line behind which the script of an earlier plan of ours comes, if one was kept.
const OURS: &str = "== ours";

/// The script that prints the state: all queues, where the interface sends what comes in, the devices, and
/// the script of an earlier plan of ours.
pub(crate) fn script(wan: &str) -> String {
    format!(
        "echo '{QUEUES}'\ntc qdisc show\n\
         echo '{REDIRECT}'\ntc filter show dev {wan} parent ffff: 2>/dev/null\n\
         echo '{DETAILS}'\ntc -d qdisc show dev {wan} 2>/dev/null\n\
         echo '{FILTERS}'\ntc filter show dev {wan} 2>/dev/null\n\
         echo '{DEVICES}'\nls /sys/class/net\n\
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
mod tests {
    use remedy::{Prescription, Shaper, Wishes};
    use units::Rate;

    use super::*;

    fn state(queues: &str, filters: &str) -> State {
        State::parse(&format!("{QUEUES}\n{queues}\n{REDIRECT}\n{filters}\n"), "eth0")
    }

    /// A filter as tc 6.1 prints it.
    const REDIRECTS: &str = "filter protocol all pref 49152 matchall chain 0\n\
        filter protocol all pref 49152 matchall chain 0 handle 0x1\n  not_in_hw\n\t\
        action order 1: mirred (Egress Redirect to device ifb4eth0) stolen\n \t\
        index 1 ref 1 bind 1\n";
    /// The filter of sqm-scripts, as tc 6.1 prints it.
    const U32: &str = "filter protocol all pref 10 u32 chain 0 \n\
        filter protocol all pref 10 u32 chain 0 fh 800: ht divisor 1 \n\
        filter protocol all pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 flowid :1 not_in_hw \n  \
        match 00000000/00000000 at 0\n\taction order 1: mirred (Egress Redirect to device ifb4eth0) stolen\n";
    const INGRESS: &str = "qdisc ingress ffff: dev eth0 parent ffff:fff1 ----------------";

    #[test]
    fn the_systems_own_queue_comes_back_by_itself() {
        for own in [
            "qdisc noqueue 0: dev lo root refcnt 2",
            "qdisc mq 0: dev eth0 root\nqdisc fq_codel 0: dev eth0 parent :1 limit 10240p",
            "qdisc pfifo_fast 0: dev eth0 root refcnt 2 bands 3 priomap 1 2 2 2",
            "qdisc cake 8001: dev eth1 root refcnt 2 bandwidth 1Mbit",
        ] {
            assert_eq!(state(own, "").restore("eth0", false), Ok(String::new()), "{own}");
        }
    }

    #[test]
    fn a_queue_that_does_not_shape_is_brought_back() {
        let queue = "qdisc fq_codel 8001: dev eth0 root refcnt 2 limit 10240p flows 1024 \
                     quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64";
        let expected = "tc qdisc add dev eth0 root handle 8001: fq_codel limit 10240 flows 1024 \
                        quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64\n";
        assert_eq!(state(queue, "").restore("eth0", false), Ok(expected.into()));
        let [queue, expected] = [queue, expected].map(|it| it.replace(" ecn", ""));
        let expected = expected.replace("64\n", "64 noecn\n");
        assert_eq!(state(&queue, "").restore("eth0", false), Ok(expected));
    }

    #[test]
    fn words_are_brought_back_as_tc_takes_them() {
        let queue =
            "qdisc cake 7: dev eth0 root refcnt 2 bandwidth unlimited diffserv3 nat raw overhead 0";
        let expected =
            "tc qdisc add dev eth0 root handle 7: cake unlimited diffserv3 nat raw overhead 0\n";
        assert_eq!(state(queue, "").restore("eth0", true), Ok(expected.into()));
    }

    #[test]
    fn a_size_table_cannot_be_brought_back() {
        let queue = "qdisc fq_codel 7: dev eth0 root refcnt 2 limit 10240p flows 1024";
        let table = format!("{DETAILS}\n{queue}\n linklayer atm overhead 44 mtu 2047 tsize 512 \n");
        let refused = state(queue, &table).restore("eth0", true);
        assert!(matches!(refused, Err(Kept::Unrepeatable(_))), "{refused:?}");
    }

    #[test]
    fn handles_do_not_matter_where_states_are_compared() {
        let queue = "qdisc cake 7: dev eth0 root refcnt 2 bandwidth 1Mbit nat";
        let of = |queue: &str| state(queue, "");
        assert!(of(queue).is_like(&of(&queue.replace("7:", "8001:"))));
        assert!(!of(queue).is_like(&of(&queue.replace("1Mbit", "2Mbit"))));
        assert!(!of(queue).is_like(&of("")));
        assert!(!of("").is_like(&state(INGRESS, REDIRECTS)));
    }

    #[test]
    fn shapers_are_replaced_only_if_the_user_says_so() {
        let queue = "qdisc cake 8001: dev eth0 root refcnt 2 bandwidth 1Mbit diffserv3 nat";
        let found = state(&format!("{queue}\n{INGRESS}"), REDIRECTS);
        assert_eq!(
            found.restore("eth0", false),
            Err(Kept::Shaper("cake bandwidth 1Mbit diffserv3 nat".into()))
        );
        let commands = found.restore("eth0", true).unwrap();
        let lines: Vec<&str> = commands.lines().collect();
        assert_eq!(
            lines[0],
            "tc qdisc add dev eth0 root handle 8001: cake bandwidth 1Mbit diffserv3 nat"
        );
        assert!(commands.contains("redirect dev ifb4eth0"), "{commands}");
        assert!(
            state(INGRESS, U32).restore("eth0", true).unwrap().contains("redirect dev ifb4eth0")
        );
        let incoming = state(INGRESS, REDIRECTS).restore("eth0", false);
        assert!(matches!(incoming, Err(Kept::Shaper(_))), "{incoming:?}");
    }

    /// The script of a plan, and what tc shows while it is in force.
    fn planned(wan: &str) -> (String, String) {
        let rates = [Some(Rate::from_mbit(10)), Some(Rate::from_mbit(50))];
        let prescription = Prescription::of(None, rates, &Wishes::default());
        let cake = |shaper: Result<Shaper, _>, device: &str| {
            let shaper = shaper.unwrap();
            let (rate, words) = (shaper.bandwidth(), shaper.keywords());
            format!(
                "qdisc cake 8001: dev {device} root refcnt 2 bandwidth {rate} {words} split-gso\n"
            )
        };
        let queues = cake(prescription.up, wan)
            + &cake(prescription.down, &ifb(wan))
            + &INGRESS.replace("eth0", wan);
        (format!("{OURS}\n{}", crate::script::script(&prescription, wan)), queues)
    }

    #[test]
    fn ours_is_brought_back_by_its_script() {
        let (script, queues) = planned("eth0");
        let filters = REDIRECTS.replace("ifb4eth0", "ifb-eth0");
        let before = |queues: &str, filters: &str, more: &str| {
            state(queues, &format!("{filters}{DEVICES}\neth0\n{more}{script}"))
                .before("eth0", false)
        };
        let device = "ifb-eth0\n";
        assert_eq!(before(&queues, &filters, device), Ok(Before::Ours));
        // It was stopped.
        assert_eq!(before("", "", ""), Ok(Before::Commands(String::new())));
        // Somebody has added to it.
        let table = format!(
            "{DETAILS}\n linklayer atm overhead 44 mtu 2047 tsize 512\n{DEVICES}\n{device}"
        );
        let root_filter = format!(
            "{FILTERS}\nfilter parent 8001: protocol ip pref 1 u32 chain 0\n{DEVICES}\n{device}"
        );
        for more in [&table, &root_filter] {
            assert!(before(&queues, &filters, more).is_err(), "{more}");
        }
        // Somebody has set other queues since.
        let other = queues.replace(" nat ", " nonat ");
        for (queues, filters, more) in [
            ("qdisc htb 1: dev eth0 root refcnt 2 r2q 10", "", ""),
            (INGRESS, REDIRECTS, "ifb4eth0\n"),
            (&other, &filters, device),
            (&queues, REDIRECTS, device),
        ] {
            let before = before(queues, filters, more);
            assert!(matches!(before, Err(Kept::Shaper(_) | Kept::Unrepeatable(_))), "{before:?}");
        }
    }

    #[test]
    fn what_comes_in_beside_a_plan_for_the_upload_is_not_ours() {
        let rates = [Some(Rate::from_mbit(10)), None];
        let prescription = Prescription::of(None, rates, &Wishes::default());
        let script = crate::script::script(&prescription, "eth0");
        let up = prescription.up.unwrap();
        let (rate, words) = (up.bandwidth(), up.keywords());
        let queue = format!("qdisc cake 1: dev eth0 root refcnt 2 bandwidth {rate} {words}");
        let before = |queues: &str, filters: &str| {
            state(queues, &format!("{filters}{OURS}\n{script}")).before("eth0", false)
        };
        assert_eq!(before(&queue, ""), Ok(Before::Ours));
        let with_redirect = format!("{queue}\n{INGRESS}");
        for filters in [REDIRECTS, "filter protocol ip\n\taction order 1: police 0x1 rate 1Mbit\n"]
        {
            assert!(before(&with_redirect, filters).is_err(), "{filters}");
        }
    }

    #[test]
    fn a_device_of_the_name_of_ours_is_left() {
        let taken = state("", &format!("{DEVICES}\neth0\nifb-eth0\n"));
        let what = "the device ifb-eth0, which no plan in force there has made";
        assert_eq!(taken.before("eth0", true), Err(Kept::Unrepeatable(what.into())));
        let other = state("", &format!("{DEVICES}\neth0\nifb-eth1\n"));
        assert_eq!(other.before("eth0", false), Ok(Before::Commands(String::new())));
    }

    #[test]
    fn what_cannot_be_repeated_is_left() {
        let tree = "qdisc htb 1: dev eth0 root refcnt 2 r2q 10 default 0x1 direct_packets_stat 0";
        for found in [
            state(tree, ""),
            state(INGRESS, ""),
            state(INGRESS, &format!("{REDIRECTS}{REDIRECTS}")),
            state(
                INGRESS,
                "filter protocol ip pref 1 u32 \n\taction order 1: police 0x1 rate 1Mbit",
            ),
            state(INGRESS, &REDIRECTS.replace("protocol all", "protocol ip")),
            state(INGRESS, &REDIRECTS.replace("chain 0", "chain 5")),
            state(INGRESS, &REDIRECTS.replace("filter protocol", "filter block 22 protocol")),
            state(&INGRESS.replace(" ----", " ingress_block 22 ----"), REDIRECTS),
            state(INGRESS, &U32.replace("at 0\n", "at 0\n  mark 0x0001 0x000f (success 0)\n")),
            state(INGRESS, &U32.replace("00000000/00000000 at 0", "00060000/00ff0000 at 8")),
            state(
                "qdisc fq_codel 7: dev eth0 root refcnt 2 limit 10240p",
                &format!("{FILTERS}\nfilter parent 7: protocol ip pref 1 u32 chain 0 \n"),
            ),
        ] {
            assert!(matches!(found.restore("eth0", true), Err(Kept::Unrepeatable(_))), "{found:?}");
        }
    }
}
