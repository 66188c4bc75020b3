//! What else is on the shaped interface, and meets its packets too.

use kernel::{Netlink, QueueId};
use serde_json::Value;
use tc::ListedQdisc;
use units::Way;

use crate::hooks::Hooks;
use crate::{Event, Interface};

/// The kinds of queues that hold packets to a rate.
const KINDS: [&str; 4] = ["cake", "hfsc", "htb", "tbf"];

/// What people should know of an interface of which these directions are shaped.
pub(crate) fn neighbours(
    netlink: &Netlink,
    hooks: &Hooks,
    interface: &Interface,
    ways: &[Way],
) -> Vec<Event> {
    let count = hooks.others(interface.index);
    let others = (count > 0).then_some(Event::Others { count });
    let uploads = ways.contains(&Way::Forward);
    let kind = if uploads { kernel_shaper(netlink, interface.index) } else { None };
    let shaper = kind.map(|kind| Event::KernelShaper { kind });
    let sees_twice = interface.has_generic_xdp && ways.contains(&Way::Reverse);
    let xdp = sees_twice.then_some(Event::GenericXdp);
    others.into_iter().chain(shaper).chain(xdp).collect()
}

/// The kind of the kernel's queue that shapes what leaves this device; `None` if there is none, or if the
/// kernel does not tell.
fn kernel_shaper(netlink: &Netlink, device: u32) -> Option<String> {
    let messages = netlink.queues().unwrap_or_default();
    let mut queues = messages
        .iter()
        .filter(|message| QueueId::of(message).is_some_and(|place| place.device == device))
        .filter_map(|message| ListedQdisc::from_netlink(message, ""));
    queues.find_map(|queue| shaping_kind(&queue))
}

/// The kind of a queue that shapes; `None` for any other, such as a CAKE without a bandwidth.
fn shaping_kind(queue: &ListedQdisc) -> Option<String> {
    let kind = queue.fields().get("kind")?.as_str().filter(|kind| KINDS.contains(kind))?;
    let bandwidth = queue.fields().get("options").and_then(|options| options.get("bandwidth"));
    (kind != "cake" || bandwidth.is_some_and(Value::is_u64)).then(|| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_queue_shapes_that_has_a_rate() {
        let kind = |fields: Value| {
            shaping_kind(&ListedQdisc::from_json(fields).expect("a queue as tc lists it"))
        };
        let queue = |kind: &str, options: Value| json!({ "kind": kind, "handle": "1:", "dev": "wan0", "root": true, "options": options });
        assert_eq!(kind(queue("tbf", json!({}))).as_deref(), Some("tbf"));
        assert_eq!(kind(queue("cake", json!({ "bandwidth": 250_000 }))).as_deref(), Some("cake"));
        assert_eq!(kind(queue("cake", json!({ "bandwidth": "unlimited" }))), None);
        assert_eq!(kind(queue("fq_codel", json!({}))), None);
    }
}
