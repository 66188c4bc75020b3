//! The unit on a machine: until the change is kept, it lies in `/run`, which a reboot empties.

use remedy::{Prescription, Shaper};

use super::{NAME, PROGRAM, end, stop, unit};
use crate::earlier::{self, TAKE_BACK};
use crate::files::{put_aside, put_back};
use crate::script::{SHAPE_UNIT, device_unit, file};
use crate::treatment::{
    KEPT_UNDO, Refusal, TreatedQueue, Treatment, examined, kept_end, line_behind,
    unfit_user_or_interface,
};

/// The unit until the change is kept.
const VOLATILE: &str = "/run/systemd/system/unbloat-shape.service";

/// The line behind which the path of the program comes.
const FOUND: &str = "== program";

/// The commands that print why a machine cannot shape `wan` by this program, and where the program lies.
pub(crate) fn unfit(wan: &str) -> String {
    format!(
        "{}\
         [ -d /run/systemd/system ] ||\n\
         \x20   echo 'systemd does not run there: print the plan, and start its command by hand'\n\
         [ ! -d /run/systemd/system ] || systemctl -q is-active '{}' ||\n\
         \x20   echo 'systemd does not know {wan} as a device, as udev does not run there: print the plan, \
         and start its command by hand'\n\
         {KERNEL}{TUN}{LOOK}\
         [ ! -e {SHAPE_UNIT} ] || echo 'an earlier plan is in force there: {TAKE_BACK}'\n\
         {}echo '{FOUND}'\necho \"$program\"\n",
        unfit_user_or_interface(wan),
        device_unit(wan),
        earlier::of_another_kind(&[SHAPE_UNIT]),
    )
}

/// The commands that print a reason if the kernel has no hooks for the shaper.
const KERNEL: &str = "\
release=$(uname -r)
rest=${release#*.}
minor=${rest%%[!0-9]*}
[ \"${release%%.*}\" -gt 6 ] || { [ \"${release%%.*}\" = 6 ] && [ \"$minor\" -ge 6 ]; } ||
    echo \"Linux $release cannot hand packets over to the shaper: it takes Linux 6.6 or later\"
";

/// The commands that print a reason if the shaper, which is not root, cannot make its devices.
const TUN: &str = "\
if [ ! -c /dev/net/tun ]; then
    echo 'there is no /dev/net/tun: modprobe tun'
elif [ -z \"$(find /dev/net/tun -perm -006)\" ]; then
    echo 'not every user may open /dev/net/tun, as udev would have it: chmod 666 /dev/net/tun'
fi
";

/// The commands that find the program, and print a reason if a unit cannot start it. Each user can reach
/// these places, and no sandbox of systemd hides them.
const LOOK: &str = "\
program=/usr/local/bin/unbloat
[ -x $program ] || program=$(command -v unbloat)
case $program in
    '') echo 'unbloat is not there: copy it to /usr/local/bin/unbloat' ;;
    *[!A-Za-z0-9./_+-]*) echo 'unbloat lies in a place with characters that no unit takes: copy it to /usr/local/bin/unbloat' ;;
    /usr/*|/bin/*|/opt/*|/nix/*)
        \"$program\" shape --help >/dev/null 2>&1 ||
            echo \"$program does not know 'shape': copy this version to /usr/local/bin/unbloat\" ;;
    *) echo \"$program is not where every user can start it: copy it to /usr/local/bin/unbloat\" ;;
esac
";

/// The treatment of the machine that gave this answer to the examination.
///
/// # Errors
/// If the machine is unfit, or has what may not be replaced.
pub(crate) fn treatment(
    prescription: &Prescription,
    wan: &str,
    answer: &str,
    may_replace: bool,
) -> Result<Treatment, Refusal> {
    let others = examined(answer, wan)?.ending(wan, may_replace).map_err(Refusal::Kept)?;
    let found = line_behind(FOUND, answer);
    let program = if found.is_empty() { PROGRAM } else { found };
    let unit = unit(prescription, wan, program);
    let files = [SHAPE_UNIT, KEPT_UNDO];
    let kept_undo = format!(
        "{}rm -f {SHAPE_UNIT}\nsystemctl daemon-reload\n{}",
        end(),
        kept_end(&others.restore)
    );
    Ok(Treatment {
        apply: format!(
            ": >\"$dir/changed\"\n{}systemctl daemon-reload\n{}\
             systemctl restart {NAME} || {{ journalctl -q --no-pager -o cat -n 3 -u {NAME}; exit 1; }}\n",
            file(VOLATILE, &unit),
            others.end
        ),
        undo: format!(
            "dir=${{0%/*}}\n[ -e \"$dir/changed\" ] || exit 0\n{}rm -f {VOLATILE}\n\
             systemctl daemon-reload\n{}",
            stop(),
            others.restore
        ),
        keep: format!(
            "{}mkdir -p /etc/unbloat\n{}chmod 755 {KEPT_UNDO}\n{}rm -f {VOLATILE}\n\
             systemctl daemon-reload\nsystemctl enable {NAME}\n",
            put_aside(&files),
            file(KEPT_UNDO, &kept_undo),
            file(SHAPE_UNIT, &unit)
        ),
        unkeep: put_back(&files, &format!("systemctl disable {NAME}\n")),
        look: format!("{program} shape {wan} --status"),
        queues: treated(prescription, wan),
    })
}

/// The queues of the shaper, which bear the name of the interface both.
fn treated(prescription: &Prescription, wan: &str) -> Vec<TreatedQueue> {
    let queue = |shaper: &Shaper| TreatedQueue::beside_other(wan.to_owned(), *shaper);
    prescription.shapers().map(queue).collect()
}
