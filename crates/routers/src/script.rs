//! The script that shapes on any Linux, and what starts it.

use observation::Heading;
use remedy::{Prescription, Shaper};

/// The folder of the script, which few machines lack.
pub(crate) const SBIN: &str = "/usr/local/sbin";

/// The place of the script. A machine has one, for one interface.
pub(crate) const PATH: &str = "/usr/local/sbin/unbloat-shaper";

/// The unit of a plan for our own shaper. A machine has one, for one interface.
pub(crate) const SHAPE_UNIT: &str = "/etc/systemd/system/unbloat-shape.service";

/// What starts the script when the interface appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hook {
    /// A unit of systemd.
    Systemd,
    /// A script that ifupdown calls.
    Ifupdown,
    /// A script that NetworkManager calls.
    NetworkManager,
}

impl Hook {
    /// The files that may start the script, one of which does.
    pub(crate) const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Systemd => &["/etc/systemd/system/unbloat-shaper.service"],
            Self::Ifupdown => {
                &["/etc/network/if-up.d/unbloat-shaper", "/etc/ppp/ip-up.d/unbloat-shaper"]
            }
            Self::NetworkManager => &["/etc/NetworkManager/dispatcher.d/90-unbloat-shaper"],
        }
    }
}

/// The files that may start the script, on all platforms.
pub(crate) fn hook_files() -> impl Iterator<Item = &'static str> {
    let hooks = [Hook::Systemd, Hook::Ifupdown, Hook::NetworkManager];
    hooks.into_iter().flat_map(|hook| hook.files().iter().copied())
}

/// The name of the device through which the download passes: at most 15 bytes, as Linux allows.
pub(crate) fn ifb(wan: &str) -> String {
    let name = format!("ifb-{wan}");
    name.chars().take(15).collect()
}

/// The command that writes a file with these lines.
pub(crate) fn file(path: &str, content: &str) -> String {
    format!("cat >{path} <<'END'\n{content}END\n")
}

/// The lines, four columns further in.
pub(crate) fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!("    {line}\n")).collect()
}

/// The text as one word of a shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The unit of a network device, which udev makes known to systemd.
pub(crate) fn device_unit(wan: &str) -> String {
    format!("sys-subsystem-net-devices-{}.device", escaped(wan))
}

/// The name in the name of a unit (systemd.unit(5), "String escaping for inclusion in unit names").
fn escaped(name: &str) -> String {
    let one = |it: char| match it {
        'a'..='z' | 'A'..='Z' | '0'..='9' | ':' | '_' | '.' => it.to_string(),
        _ => format!("\\x{:02x}", u32::from(it)),
    };
    name.chars().map(one).collect()
}

/// The script: `start` shapes, `stop` takes the shapers away, and both can be repeated.
pub(crate) fn script(prescription: &Prescription, wan: &str) -> String {
    let shapers: Vec<&Shaper> = prescription.shapers().collect();
    let has = |heading| shapers.iter().any(|shaper| shaper.heading == heading);
    let stop = indented(&stop(prescription, "\"$wan\"", "\"$ifb\""));
    let can_shape = can_shape(prescription);
    let start: Vec<String> = shapers.iter().map(|shaper| one_way(shaper)).collect();
    let ifb = if has(Heading::Down) { format!("ifb={}\n", ifb(wan)) } else { String::new() };
    format!(
        "#!/bin/sh\n\
         # CAKE on {wan}, a little below the line's rate: so the queue forms here, where it is short.\n\
         # Usage: unbloat-shaper start | stop\n\
         wan={wan}\n\
         {ifb}\
         {can_shape}\
         stop() {{\n    ip link del {TRY} 2>/dev/null\n{stop}    return 0\n}}\n\
         start() {{\n{}\n}}\n\
         case ${{1:-}} in\n\
         \x20   start) can_shape || exit; stop; start || {{ stop; exit 1; }} ;;\n\
         \x20   stop) stop ;;\n\
         \x20   *) echo 'usage: unbloat-shaper start | stop' >&2; exit 2 ;;\n\
         esac\n",
        start.join(" &&\n")
    )
}

/// A device that exists while something is tried.
const TRY: &str = "unbloat-try";

/// The function `can_shape`: it fails, and says so, where the kernel or its tc lacks what the plan needs. It tries
/// all of it on a device that no packets pass, since modules may be built in, or loaded by another system.
pub(crate) fn can_shape(prescription: &Prescription) -> String {
    // Without the numbers, the modules add devices of their own (Linux, drivers/net/ifb.c and dummy.c).
    let (make, redirect, needed) = match prescription.down {
        Ok(_) => (
            format!(
                "    modprobe ifb numifbs=0 2>/dev/null\n    ip link add name {TRY} type ifb &&\n"
            ),
            format!(
                " &&\n    tc qdisc add dev {TRY} handle ffff: ingress &&\n    \
                 tc filter add dev {TRY} parent ffff: protocol all matchall \\\n        \
                 action mirred egress redirect dev {TRY}"
            ),
            "CAKE, IFB, matchall or mirred",
        ),
        Err(_) => (
            format!(
                "    modprobe dummy numdummies=0 2>/dev/null\n    \
                 ip link add name {TRY} type dummy 2>/dev/null || return 0\n"
            ),
            String::new(),
            "CAKE",
        ),
    };
    format!(
        "can_shape() {{\n    ip link del {TRY} 2>/dev/null\n{make}    \
         tc qdisc replace dev {TRY} root cake{redirect}\n    \
         missing=$?\n    ip link del {TRY} 2>/dev/null\n    \
         [ $missing = 0 ] || echo 'The kernel or its tc lacks {needed}: nothing was changed.' >&2\n    \
         return $missing\n}}\n"
    )
}

/// The commands that take the shapers away.
pub(crate) fn stop(prescription: &Prescription, wan: &str, ifb: &str) -> String {
    let mut stop = String::new();
    if prescription.up.is_ok() {
        stop += &format!("tc qdisc del dev {wan} root 2>/dev/null\n");
    }
    if prescription.down.is_ok() {
        stop += &format!("tc qdisc del dev {wan} ingress 2>/dev/null\n");
        stop += &format!("ip link del {ifb} 2>/dev/null\n");
    }
    stop
}

/// The commands that take the shapers away by these ones if the script is not there.
pub(crate) fn stop_without_script(stop: &str) -> String {
    format!("[ -x {PATH} ] || {{\n{}}}\n", indented(stop))
}

/// The commands for one direction, each of which must succeed.
fn one_way(shaper: &Shaper) -> String {
    let cake = shaper.cake();
    match shaper.heading {
        Heading::Up => format!("    tc qdisc add dev \"$wan\" root {cake}"),
        Heading::Down => [
            "ip link add name \"$ifb\" type ifb",
            "ip link set \"$ifb\" up",
            &format!("tc qdisc add dev \"$ifb\" root {cake}"),
            "tc qdisc add dev \"$wan\" handle ffff: ingress",
            "tc filter add dev \"$wan\" parent ffff: protocol all matchall \\\n        action mirred \
             egress redirect dev \"$ifb\"",
        ]
        .map(|command| format!("    {command}"))
        .join(" &&\n"),
    }
}

/// The commands that send what comes in at an interface through a device.
pub(crate) fn redirect(wan: &str, device: &str) -> String {
    format!(
        "tc qdisc add dev {wan} handle ffff: ingress\n\
         tc filter add dev {wan} parent ffff: protocol all matchall action mirred egress redirect dev \
         {device}\n"
    )
}

/// The commands that show whether the queues of `wan` are there and at work.
pub(crate) fn look(prescription: &Prescription, wan: &str) -> String {
    // tc(8) leaves out the name of a device that it is asked for.
    let down = prescription.down.is_ok();
    let filter = down.then(|| format!("tc -s filter show dev {wan} parent ffff:\n"));
    ["tc -s qdisc show\n".to_owned()].into_iter().chain(filter).collect()
}
