//! A plan as scripts for the shell of the machine that it is for.

use std::fmt;

use observation::Heading;
use remedy::{Prescription, Shaper};
use units::Rate;

use crate::error::PlatformError;
use crate::script::indented;
use crate::state::{Before, Kept, State};

/// The script on a machine that takes back what was kept there.
pub const KEPT_UNDO: &str = "/etc/unbloat/undo";

/// The line behind which the examination prints why a machine is unfit.
const UNFIT: &str = "== unfit";

/// The scripts that change a machine, and take the change back.
#[derive(Clone, Debug, PartialEq)]
pub struct Treatment {
    /// Makes the change, until a reboot. It runs while the timer does, whose folder is `$dir`.
    pub apply: String,
    /// Takes the change back; does nothing if it was not made. It lies in the timer's folder.
    pub undo: String,
    /// Commands that make the change outlive a reboot.
    pub keep: String,
    /// Commands that take back what `keep` may have done.
    pub unkeep: String,
    /// Prints the queues with their counters, as tc does.
    pub look: String,
    /// The queues that are there then.
    pub queues: Vec<TreatedQueue>,
}

/// A queue of a treatment.
#[derive(Clone, Debug, PartialEq)]
pub struct TreatedQueue {
    /// The device that has it.
    pub device: String,
    /// The shaper that it is.
    pub shaper: Shaper,
    /// True if the queues of both directions are shown with the name of one device.
    shares_device: bool,
}

/// The reason why a machine is not treated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Plans for this platform are written and not applied.
    OnlyWritten(&'static str),
    /// The machine is not as the plan needs it, for these reasons.
    Unfit(Vec<String>),
    /// What the interface has is not replaced.
    Kept(Kept),
    /// The plan cannot be written.
    Platform(PlatformError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnlyWritten(system) => write!(
                f,
                "a plan for {system} is not applied by this program: print it, and type it there \
                 yourself"
            ),
            Self::Unfit(reasons) => f.write_str(&reasons.join("; ")),
            Self::Kept(kept) => kept.fmt(f),
            Self::Platform(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

/// The script that prints why a machine is unfit, by these commands, and the state of its interface.
pub(crate) fn examination(commands: &str, wan: &str) -> String {
    format!("echo '{UNFIT}'\n{commands}{}", crate::state::script(wan))
}

/// The state in the answer to an examination.
///
/// # Errors
/// If the machine is unfit.
pub(crate) fn examined(answer: &str, wan: &str) -> Result<State, Refusal> {
    let reasons = answer.lines().skip_while(|line| *line != UNFIT).skip(1);
    let reasons: Vec<String> =
        reasons.take_while(|line| !line.starts_with("== ")).map(str::to_owned).collect();
    if reasons.is_empty() { Ok(State::parse(answer, wan)) } else { Err(Refusal::Unfit(reasons)) }
}

/// What brings back what the interface has, by the answer to the examination.
///
/// # Errors
/// If the machine is unfit, or has what may not be replaced.
pub(crate) fn before(answer: &str, wan: &str, may_replace: bool) -> Result<Before, Refusal> {
    examined(answer, wan)?.before(wan, may_replace).map_err(Refusal::Kept)
}

/// The line behind this one; empty if there is none.
pub(crate) fn line_behind<'a>(heading: &str, answer: &'a str) -> &'a str {
    answer.lines().skip_while(|line| *line != heading).nth(1).unwrap_or_default().trim()
}

/// The commands that print a reason if this user is not root, or if there is no such interface.
pub(crate) fn unfit_user_or_interface(wan: &str) -> String {
    format!(
        "[ \"$(id -u)\" = 0 ] || echo 'this user may not change queues: it takes root'\n\
         [ -d /sys/class/net/{wan} ] || echo 'there is no interface {wan}'\n"
    )
}

/// The commands that print a reason if a Linux machine cannot shape `wan` with CAKE.
pub(crate) fn unfit_linux(prescription: &Prescription, wan: &str) -> String {
    let modules = match prescription.down {
        Ok(_) => "sch_cake ifb act_mirred cls_matchall",
        Err(_) => "sch_cake",
    };
    format!(
        "{}for program in tc ip; do\n\
         \x20   command -v $program >/dev/null || echo \"$program is missing: install iproute2\"\n\
         done\n\
         modules=/lib/modules/$(uname -r)\n\
         for module in {modules}; do\n\
         \x20   [ -d /sys/module/$module ] ||\n\
         \x20       find \"$modules\" -name \"$module.ko*\" 2>/dev/null | grep -q . ||\n\
         \x20       grep -qs \"/$module.ko\" \"$modules/modules.builtin\" ||\n\
         \x20       zcat /proc/config.gz 2>/dev/null | grep -qiE \"^CONFIG_(NET_)?$module=y\" ||\n\
         \x20       echo \"the kernel has no $module\"\n\
         done\n",
        unfit_user_or_interface(wan)
    )
}

/// The last commands of what takes back a kept plan: these bring back what there was before. It fails, and
/// says so, if one of them does.
pub(crate) fn kept_end(restore: &str) -> String {
    let lines = restore.lines().map(|line| format!("{line} || failed=yes\n"));
    let lines: String = lines.collect();
    let check = match lines.is_empty() {
        true => "",
        false => {
            "[ -z \"$failed\" ] || { echo 'what was there before could not be brought back'; exit 1; }\n"
        }
    };
    let begin = if lines.is_empty() { "" } else { "failed=\n" };
    format!("{begin}{lines}rm -rf /etc/unbloat\n{check}")
}

/// The commands that take back a plan that was typed. Where `--apply` has kept one, its own script brings
/// back what was there before, and removes itself.
pub(crate) fn typed_undo(commands: &str) -> String {
    format!("if [ -e {KEPT_UNDO} ]; then sh {KEPT_UNDO}; else\n{}fi\n", indented(commands))
}

/// The script that prints all queues with their counters.
pub(crate) const QUEUES: &str = "tc -s qdisc show";

/// The script that prints the route to everywhere else.
pub const DEFAULT_ROUTE: &str = "ip route show default; ip -6 route show default 2>/dev/null";

/// The interface of the route to everywhere else, in the answer to [`DEFAULT_ROUTE`]; `None` if
/// there is no such route.
pub fn default_interface(answer: &str) -> Option<&str> {
    let line = answer.lines().find(|line| line.starts_with("default "))?;
    line.split_whitespace().skip_while(|word| *word != "dev").nth(1)
}

impl TreatedQueue {
    /// The queue of a device of its own.
    pub(crate) const fn new(device: String, shaper: Shaper) -> Self {
        Self { device, shaper, shares_device: false }
    }

    /// The queue of a device that both directions are shown with.
    pub(crate) const fn beside_other(device: String, shaper: Shaper) -> Self {
        Self { device, shaper, shares_device: true }
    }

    /// What of the queue is not as asked, in tc's words: `nat` for a missing word. `None` if the
    /// device has no CAKE.
    pub fn differences(&self, queues: &str) -> Option<Vec<String>> {
        let words = self.words(queues)?;
        let has = |wanted: &[&str]| words.windows(wanted.len()).any(|window| window == wanted);
        let keywords = self.shaper.keywords();
        let asked: Vec<&str> = keywords.split(' ').collect();
        let mut missing = Vec::new();
        let mut rest = asked.as_slice();
        while let [first, more @ ..] = rest {
            let length = if ["rtt", "overhead", "mpu"].contains(first) { 2 } else { 1 };
            let setting = &rest[..length.min(rest.len())];
            // tc prints neither the side `egress` nor an MPU of 0.
            let is_silent = setting == ["egress"] || setting == ["mpu", "0"];
            if !is_silent && !has(setting) {
                missing.push(setting.join(" "));
            }
            rest = if length == 2 { rest.get(2..).unwrap_or_default() } else { more };
        }
        let rate = words.windows(2).find(|pair| pair[0] == "bandwidth").map(|pair| pair[1]);
        let rate = rate.and_then(|rate| rate.parse::<Rate>().ok());
        if rate != Some(self.shaper.bandwidth()) {
            missing.push(format!("bandwidth {}", self.shaper.bandwidth()));
        }
        Some(missing)
    }

    /// The bytes that the queue has sent; `None` if the device has no CAKE.
    pub fn sent_bytes(&self, queues: &str) -> Option<u64> {
        let mut lines = queues.lines().skip_while(|line| !self.begins(line)).skip(1);
        let sent = lines.find_map(|line| line.trim_start().strip_prefix("Sent "))?;
        sent.split(' ').next()?.parse().ok()
    }

    fn words<'a>(&self, queues: &'a str) -> Option<Vec<&'a str>> {
        let line = queues.lines().find(|line| self.begins(line))?;
        Some(line.split_whitespace().collect())
    }

    /// True for the line of this queue: `qdisc cake 8001: dev eth0 root`.
    fn begins(&self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let kind = (words.next(), words.next());
        kind == (Some("qdisc"), Some("cake"))
            && words.nth(1) == Some("dev")
            && words.next() == Some(self.device.as_str())
            && words.next() == Some("root")
            && (!self.shares_device
                || words.any(|word| word == "ingress") == (self.shaper.heading == Heading::Down))
    }
}

#[cfg(test)]
mod tests {
    use remedy::Wishes;

    use super::*;

    /// What tc 6.1 prints of the upload's queue.
    const SHOWN: &str = "qdisc noqueue 0: dev lo root refcnt 2\n Sent 0 bytes 0 pkt\n\
        qdisc cake 8001: dev eth0 root refcnt 2 bandwidth 9620Kbit besteffort dual-srchost nat \
        nowash no-ack-filter split-gso rtt 100ms noatm overhead 18 mpu 64 \n \
        Sent 123456 bytes 90 pkt (dropped 0, overlimits 12 requeues 0)\n backlog 0b 0p requeues 0\n";

    fn queue() -> TreatedQueue {
        let link = remedy::LinkKind::named("docsis");
        let rates = [Some(Rate::from_mbit(10)), None];
        let up = Prescription::of(None, rates, &Wishes { link, ..Wishes::default() }).up.unwrap();
        assert_eq!(up.heading, Heading::Up);
        TreatedQueue::new("eth0".into(), up)
    }

    #[test]
    fn what_is_in_force_is_compared_word_by_word() {
        assert_eq!(queue().differences(SHOWN), Some(vec![]));
        assert_eq!(queue().sent_bytes(SHOWN), Some(123_456));
        for (right, wrong, missing) in [
            (" nat ", " nonat ", "nat"),
            ("9620Kbit", "76960Kbit", "bandwidth 9.62mbit"),
            ("overhead 18", "overhead 44", "overhead 18"),
            ("rtt 100ms", "rtt 20us", "rtt 100ms"),
            ("dual-srchost", "triple-isolate", "dual-srchost"),
        ] {
            let shown = SHOWN.replace(right, wrong);
            assert_eq!(queue().differences(&shown), Some(vec![missing.to_owned()]));
        }
        assert_eq!(queue().differences(&SHOWN.replace("eth0", "eth00")), None);
        assert_eq!(queue().differences(&SHOWN.replace("cake 8001", "fq_codel 8001")), None);
    }

    #[test]
    fn the_way_out_is_found() {
        let routes = "default via 10.0.0.1 dev wan0 proto dhcp metric 100\ndefault dev b\n";
        assert_eq!(default_interface(routes), Some("wan0"));
        assert_eq!(default_interface("default dev ppp0 scope link\n"), Some("ppp0"));
        assert_eq!(default_interface(""), None);
    }

    #[test]
    fn what_cannot_be_brought_back_is_told() {
        for (restore, said, is_done) in [
            ("", "", true),
            ("true\ntrue\n", "", true),
            ("false\ntrue\n", "what was there before could not be brought back\n", false),
        ] {
            let script = kept_end(restore).replace("rm -rf /etc/unbloat", ":");
            let ended = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&ended.stdout), said);
            assert_eq!(ended.status.success(), is_done, "{restore}");
        }
    }

    #[test]
    fn reasons_are_told() {
        let state = "== queues\n== redirect\n";
        assert!(examined(&format!("{UNFIT}\n{state}"), "eth0").is_ok());
        let reasons = vec!["a".to_owned(), "b".to_owned()];
        let refused = examined(&format!("motd\n{UNFIT}\na\nb\n{state}"), "eth0");
        assert_eq!(refused, Err(Refusal::Unfit(reasons)));
    }
}
