//! A plan of sqm-scripts as a treatment: volatile first, kept by `uci commit`.
//!
//! Specification: OpenWrt's `uci_load` (`/lib/config/uci.sh`), which adds what lies in `/var/state` to
//! the configuration; a reboot empties that folder, and `uci commit` leaves it alone. sqm-scripts
//! 95337de6, `src/run-openwrt.sh`: of two sections for an interface, the first that is enabled is started.

use observation::Heading;
use remedy::{Prescription, Shaper};

use super::{ifb, settings};
use crate::earlier::TAKE_BACK;
use crate::script::file;
use crate::state::Kept;
use crate::treatment::{
    KEPT_UNDO, QUEUES, Refusal, TreatedQueue, Treatment, examined, unfit_user_or_interface,
};

/// The line behind which the examination prints what SQM does with the interface.
const SQM: &str = "== sqm";

/// The script of sqm-scripts that starts and stops its sections.
const RUN: &str = "/usr/lib/sqm/run.sh";

/// uci with the folder that a reboot empties.
const VOLATILE: &str = "uci -P /var/state";

/// The commands that empty it of SQM's settings.
const REVERT: &str =
    "uci -P /var/state revert sqm\n[ -s /var/state/sqm ] || rm -f /var/state/sqm\n";

/// The file that is there if SQM was not started at boot before a change was kept.
pub(crate) const DISABLED: &str = "/etc/unbloat/sqm-was-disabled";

/// The commands that print why a machine is unfit, and what SQM does with the interface.
pub(crate) fn unfit(wan: &str) -> String {
    format!(
        "{}[ -e /etc/openwrt_release ] || echo 'this is not OpenWrt'\ncommand -v uci >/dev/null || \
         echo 'uci is missing'\nif [ ! -x {RUN} ]; then\n\x20   install='opkg update && opkg \
         install sqm-scripts'\n\x20   command -v apk >/dev/null && install='apk update && apk add \
         sqm-scripts'\n\x20   echo \"sqm-scripts is missing: $install\"\nfi\n[ -z \"$(uci -q \
         changes sqm 2>/dev/null)\" ] ||\n\x20   echo 'somebody is changing the settings of SQM: \
         uci commit sqm, or uci revert sqm'\nif [ \"$(uci -q get \
         firewall.@defaults[0].flow_offloading_hw 2>/dev/null)\" = 1 ]; then\n\x20   echo \
         'hardware flow offloading lets packets bypass SQM: uci set \
         firewall.@defaults[0].flow_offloading_hw=0 && uci commit firewall && /etc/init.d/firewall \
         restart'\nfi\nearlier=$(uci -q get sqm.unbloat.interface 2>/dev/null)\n[ -z \"$earlier\" \
         ] || [ \"$earlier\" = {wan} ] ||\n\x20   echo \"an earlier plan is in force for $earlier: \
         {TAKE_BACK}\"\necho '{SQM}'\n[ ! -e /var/run/sqm/{wan}.state ] || echo running\nfor \
         section in $(uci -q -X show sqm 2>/dev/null | sed -n \
         's/^sqm\\.\\([^.]*\\)=queue$/\\1/p'); do\n\x20   [ \"$(uci -q get \
         sqm.$section.interface)\" = {wan} ] || continue\n\x20   [ \"$(uci -q get \
         sqm.$section.enabled)\" != 1 ] || echo \"section $section\"\ndone\n",
        unfit_user_or_interface(wan)
    )
}

/// What SQM does with the interface.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sqm<'a> {
    is_running: bool,
    /// The sections of others that are enabled for the interface.
    others: Vec<&'a str>,
}

impl<'a> Sqm<'a> {
    fn parse(answer: &'a str) -> Self {
        let lines = answer.lines().skip_while(|line| *line != SQM).skip(1);
        let mut sqm = Self::default();
        for line in lines.take_while(|line| !line.starts_with("== ")) {
            match line.strip_prefix("section ") {
                // An earlier plan of ours.
                Some("unbloat") => {}
                Some(section) if is_section(section) => sqm.others.push(section),
                _ => sqm.is_running |= line == "running",
            }
        }
        sqm
    }

    /// The commands of uci that switch the sections of others on or off.
    fn others(&self, uci: &str, enabled: u8) -> String {
        let one = |section: &&str| format!("{uci} set sqm.{section}.enabled='{enabled}'\n");
        self.others.iter().map(one).collect()
    }
}

/// True for the name of a section, as uci allows it.
fn is_section(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}

/// The treatment of the router that gave this answer to the examination.
///
/// # Errors
/// If the router is unfit, or has what may not be replaced.
pub(crate) fn treatment(
    prescription: &Prescription,
    wan: &str,
    answer: &str,
    may_replace: bool,
) -> Result<Treatment, Refusal> {
    let state = examined(answer, wan)?;
    let sqm = Sqm::parse(answer);
    if let Some(section) = sqm.others.first().filter(|_| !may_replace) {
        return Err(Refusal::Kept(Kept::Shaper(format!("SQM's section {section} is for {wan}"))));
    }
    // What SQM has started there it starts again; what somebody else has set comes back by itself.
    // Ours is a CAKE for each direction: anything else was set since.
    let is_sqms = sqm.is_running && (!sqm.others.is_empty() || state.may_be_of_sqm(&ifb(wan)));
    let foreign = match is_sqms {
        true => String::new(),
        false => state.restore(wan, may_replace).map_err(Refusal::Kept)?,
    };
    let set = |uci: &str| set(prescription, wan, uci);
    let volatile = format!("mkdir -p /var/state\n{}{}", sqm.others(VOLATILE, 0), set(VOLATILE));
    // The script's status is that of the last section, which may be of another interface.
    Ok(Treatment {
        apply: format!(
            "if [ -e /var/run/sqm/{wan}.state ]; then\n\
             \x20   [ -e \"$dir/changed\" ] || : >\"$dir/ran\"\n\
             \x20   {RUN} stop {wan} || :\n\
             fi\n\
             : >\"$dir/changed\"\n\
             {volatile}{RUN} start {wan} || :\n\
             [ -e /var/run/sqm/{wan}.state ]\n"
        ),
        undo: format!(
            "dir=${{0%/*}}\n[ -e \"$dir/changed\" ] || [ -e \"$dir/ran\" ] || exit 0\n\
             {RUN} stop {wan}\n{REVERT}\
             if [ -e \"$dir/ran\" ]; then {RUN} start {wan}; fi\n{foreign}"
        ),
        keep: keep(&sqm, &set("uci"), &kept_undo(&sqm, wan, &foreign)),
        unkeep: format!(
            "if [ -e \"$dir/before\" ]; then\n    uci revert sqm\n    \
                 cp \"$dir/before\" /etc/config/sqm\nfi\n\
                 if [ -e \"$dir/disabled\" ]; then /etc/init.d/sqm disable; rm -f {DISABLED}; fi\n\
                 if [ -e \"$dir/first\" ]; then rm -f {KEPT_UNDO}; rmdir /etc/unbloat 2>/dev/null; fi\n"
        ),
        look: QUEUES.to_owned(),
        queues: queues(prescription, wan),
    })
}

/// The commands that set our section.
fn set(prescription: &Prescription, wan: &str, uci: &str) -> String {
    let mut commands = format!("{uci} set sqm.unbloat=queue\n");
    commands += &format!("{uci} set sqm.unbloat.interface='{wan}'\n");
    for (key, value) in settings(prescription) {
        commands += &format!("{uci} set sqm.unbloat.{key}='{value}'\n");
    }
    commands
}

/// The commands that keep what runs: what is committed is what was volatile.
fn keep(sqm: &Sqm, set: &str, undo: &str) -> String {
    format!(
        "cp /etc/config/sqm \"$dir/before\"\n\
         [ -e {KEPT_UNDO} ] || : >\"$dir/first\"\n\
         mkdir -p /etc/unbloat\n\
         [ -e {KEPT_UNDO} ] || {}\
         /etc/init.d/sqm enabled || {{ : >\"$dir/disabled\"; : >{DISABLED}; }}\n\
         {}{set}uci commit sqm\n\
         /etc/init.d/sqm enable\n\
         {REVERT}",
        file(KEPT_UNDO, undo),
        sqm.others("uci", 0),
    )
}

/// The script that takes back what was kept.
fn kept_undo(sqm: &Sqm, wan: &str, foreign: &str) -> String {
    format!(
        "{RUN} stop {wan}\nuci -q delete sqm.unbloat\n{}uci commit sqm\n\
         if [ -e {DISABLED} ]; then /etc/init.d/sqm disable; fi\n\
         {RUN} start {wan}\n{foreign}rm -rf /etc/unbloat\n",
        sqm.others("uci", 1),
    )
}

fn queues(prescription: &Prescription, wan: &str) -> Vec<TreatedQueue> {
    let device = |shaper: &Shaper| match shaper.heading {
        Heading::Up => wan.to_owned(),
        Heading::Down => ifb(wan),
    };
    let queue = |shaper: &Shaper| TreatedQueue::new(device(shaper), *shaper);
    prescription.shapers().map(queue).collect()
}

#[cfg(test)]
mod tests;
