//! An earlier plan of ours on Linux, of whatever platform and for whatever interface it was.

use crate::script::{PATH, SHAPE_UNIT, hook_files};
use crate::treatment::KEPT_UNDO;

/// The files that a plan for networkd adds to those of its interfaces.
const DROPINS: &str = "/etc/systemd/network/*.d/unbloat.conf";

/// The line of such a file before the name of the interface.
pub(crate) const INTERFACE: &str = "# CAKE on ";

/// The sentence before the commands that end an earlier plan.
pub(crate) const EARLIER: &str = "An earlier plan of unbloat, if there is one, ends in both \
     directions: a machine has only one, so a plan for another interface ends too, and one for tc, \
     ifupdown, networkmanager, networkd or unbloat";

/// What to do about an earlier plan that is not ended.
pub(crate) const TAKE_BACK: &str =
    "take it back first, by unbloat fix --undo if it was applied, otherwise by its own last part";

/// The commands that end an earlier plan, if there is one. What `--apply` has kept is taken back now, unless
/// it is a plan with this file: that of the new plan takes its place, and its undo that of the new one's.
pub(crate) fn end(own: &str) -> String {
    let parts = parts(&[]).join(" \\\n    ");
    format!(
        "[ ! -e {KEPT_UNDO} ] || [ -e {own} ] || sh {KEPT_UNDO}\n\
         for part in {parts}; do\n\
         \x20   [ -e \"$part\" ] || continue\n\
         \x20   dev=$(sed -n 's/^{INTERFACE}//p' \"$part\")\n\
         \x20   case $part in\n\
         \x20   *.service)\n\
         \x20       systemctl stop \"${{part##*/}}\"\n\
         \x20       systemctl disable \"${{part##*/}}\" ;;\n\
         \x20   */sbin/*) \"$part\" stop ;;\n\
         \x20   esac\n\
         \x20   rm \"$part\"\n\
         \x20   case $part in\n\
         \x20   *.service) systemctl daemon-reload ;;\n\
         \x20   *.conf)\n\
         \x20       rmdir \"${{part%/*}}\" 2>/dev/null\n\
         \x20       networkctl reload\n\
         \x20       tc qdisc del dev \"$dev\" root ;;\n\
         \x20   esac\n\
         done\n"
    )
}

/// The commands that print a reason if a part of an earlier plan is there, other than these.
pub(crate) fn of_another_kind(own: &[&str]) -> String {
    format!(
        "for part in {}; do\n\
         \x20   [ ! -e \"$part\" ] || echo \"an earlier plan of another kind is in force there, by $part: \
         {TAKE_BACK}\"\n\
         done\n",
        parts(own).join(" ")
    )
}

/// All that a plan may have written, but for these files. The units come before the script, which one of
/// them calls when it stops.
fn parts(without: &[&str]) -> Vec<&'static str> {
    let hooks = hook_files().filter(|file| !file.ends_with(".service"));
    let units = hook_files().filter(|file| file.ends_with(".service"));
    let all = [SHAPE_UNIT].into_iter().chain(units).chain([PATH]).chain(hooks).chain([DROPINS]);
    all.filter(|part| !without.contains(part)).collect()
}
