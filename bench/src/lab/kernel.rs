//! The link of a case made by the kernel: a namespace that forwards, and HTB with a bfifo.
//!
//! `ip` and `tc` of iproute2 must be installed.

use std::io;
use std::process::Command;

use lab::{Namespace, Node};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set,
    set_capabilities,
};

/// HTB's rate, and the queue in front of it.
#[derive(Clone, Copy)]
pub(crate) struct Shaper {
    pub(crate) mbit: f64,
    /// A bfifo in the syntax of `tc`.
    pub(crate) queue: &'static str,
}

/// Joins the two nodes through a router and returns the router. Data to the second node is shaped.
pub(crate) fn join(nodes: &[Node<'_>], shaper: Option<Shaper>) -> io::Result<Namespace> {
    let [near, far] = nodes else { return Err(io::Error::other("two nodes can be joined")) };
    let router = Namespace::new()?;
    for (node, device) in [(near, "near"), (far, "far")] {
        router.join(device, node.namespace, "link")?;
        // Proxy ARP answers at once, and not after up to 0.8 s.
        router.set(&format!("net/ipv4/neigh/{device}/proxy_delay"), "0")?;
    }
    for parameter in ["ip_forward", "conf/all/proxy_arp"] {
        router.set(&format!("net/ipv4/{parameter}"), "1")?;
    }
    router.run(|| {
        share_rights()?;
        let mut commands = vec![
            format!("ip route add {} dev near", near.address),
            format!("ip route add {} dev far", far.address),
        ];
        if let Some(Shaper { mbit, queue }) = shaper {
            // HTB's burst is one packet, as with the lab's wire, which sends at once when it is
            // free.
            commands.extend([
                "tc qdisc replace dev far root handle 1: htb default 1".into(),
                format!(
                    "tc class add dev far parent 1: classid 1:1 htb rate {mbit}mbit burst 1600 \
                     cburst 1600"
                ),
                format!("tc qdisc add dev far parent 1:1 {}", in_bytes(queue)),
            ]);
        }
        commands.iter().try_for_each(|command| execute(command))
    })??;
    Ok(router)
}

/// The queue with its size in bytes: tc's `kB` are 1000 bytes in new versions and 1024 in old ones.
fn in_bytes(queue: &str) -> String {
    queue.replace("kB", "000")
}

/// Lets the commands that this thread starts configure this namespace too (capabilities(7), the
/// ambient set).
fn share_rights() -> io::Result<()> {
    let rights = capabilities(None)?;
    let admin = CapabilitySet::NET_ADMIN;
    set_capabilities(None, CapabilitySets { inheritable: admin, ..rights })?;
    Ok(configure_capability_in_ambient_set(admin, true)?)
}

fn execute(command: &str) -> io::Result<()> {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let output = Command::new(program).args(words).output().map_err(|error| {
        io::Error::new(error.kind(), format!("{program} (of iproute2): {error}"))
    })?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let complaint = String::from_utf8_lossy(&output.stderr);
            Err(io::Error::other(format!("{command}: {}", complaint.trim())))
        }
    }
}
