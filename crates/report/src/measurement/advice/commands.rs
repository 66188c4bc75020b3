//! Commands for this computer that can be copied, and run repeatedly.
//!
//! `tc qdisc replace` keeps all options of a queue of the same kind that are not given, and `add`
//! fails if there is a queue. So the present queue is deleted, and the new one added.

/// The commands that show the present queue, and add one in place of the system's default: `add`
/// fails if there is another one (tc(8)), so that no shaper is deleted.
pub(super) fn careful(queue: &str) -> [String; 2] {
    ["tc -s qdisc show dev DEVICE".to_owned(), format!("sudo tc qdisc add dev DEVICE root {queue}")]
}

/// The commands that replace any present queue.
pub(super) fn fresh(device: &str, queue: &str) -> [String; 2] {
    [
        format!("sudo tc qdisc del dev {device} root 2>/dev/null"),
        format!("sudo tc qdisc add dev {device} root {queue}"),
    ]
}
