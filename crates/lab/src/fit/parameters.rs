//! Kernel parameters of the nodes: the settings that TCP takes from its namespace or its route and
//! not from its socket.

use std::collections::BTreeMap;

use scenario::{AckPolicy, LossDetection, ReceiveWindow, Tcp};
use units::Span;

use crate::LabError;
use crate::plan::{FlowPlan, Plan};

/// Linux's initial window, in segments (RFC 6928).
const INITIAL_WINDOW: u32 = 10;
/// Linux's least retransmission timeout.
const MIN_RTO: Span = Span::from_millis(200);
/// A receive buffer before it grows, in bytes: Linux's `tcp_rmem[1]`.
const FIRST_BUFFER: u64 = 131_072;
/// The least limit of a send buffer, in bytes: Linux's `tcp_wmem[2]`.
const SEND_BUFFER: u64 = 4 << 20;

/// The settings that a node needs before its sockets are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeParameters {
    /// Parameters for [`sandbox::Namespace::set`], such as `net/ipv4/tcp_sack` and `1`.
    pub(crate) sysctls: Vec<(&'static str, String)>,
    /// Metrics of the host routes, by the index of the node to which they lead. All other routes
    /// get [`RouteMetrics::default`].
    pub(crate) routes: BTreeMap<usize, RouteMetrics>,
}

/// TCP settings of a host route: fields of [`sandbox::network::Route`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RouteMetrics {
    pub(crate) initial_window: Option<u32>,
    pub(crate) min_rto_ms: Option<u32>,
    pub(crate) quick_ack: bool,
}

/// The parameters of each node of the plan, in the plan's order.
///
/// # Errors
/// [`LabError::Unfit`] if two flows of a node contradict each other: the flows, the key, and the
/// value that would be right.
pub(crate) fn node_parameters(plan: &Plan) -> Result<Vec<NodeParameters>, LabError> {
    let flows: Vec<_> = plan.flows.iter().filter(|flow| flow.spec.traffic.is_tcp()).collect();
    let mut all = vec![NodeParameters::default(); plan.nodes.len()];
    for option in OPTIONS {
        let values = option.values(plan, &flows)?;
        for (node, value) in all.iter_mut().zip(values) {
            node.sysctls.push((option.parameter, u8::from(value).to_string()));
        }
    }
    for (index, node) in all.iter_mut().enumerate() {
        let name = &plan.nodes[index].name;
        let opens = flows.iter().filter(|flow| flow.opener() == index);
        let ecn = agreed(opens, name, "ecn", |tcp| tcp.ecn)?;
        // A node that opens no connection accepts ECN where the other end asks for it (2).
        let ecn = ecn.map_or("2", |on| if on { "1" } else { "2" });
        node.sysctls.push(("net/ipv4/tcp_ecn", ecn.into()));
        let sends = flows.iter().filter(|flow| sends(flow, index) && flow.spec.tcp.sack);
        let rack = |tcp: &Tcp| tcp.loss_detection == LossDetection::RackTlp;
        if agreed(sends, name, "rack", rack)? == Some(false) {
            node.sysctls.push(("net/ipv4/tcp_recovery", "0".into()));
            node.sysctls.push(("net/ipv4/tcp_early_retrans", "0".into()));
        }
        node.sysctls.extend(buffers(&flows, index));
        node.routes = routes(plan, &flows, index)?;
    }
    Ok(all)
}

/// An option that a connection has only if both its ends ask for it.
struct TwoSided {
    key: &'static str,
    parameter: &'static str,
    of: fn(&Tcp) -> bool,
}

const OPTIONS: [TwoSided; 3] = [
    TwoSided { key: "sack", parameter: "net/ipv4/tcp_sack", of: |tcp| tcp.sack },
    TwoSided { key: "timestamps", parameter: "net/ipv4/tcp_timestamps", of: |tcp| tcp.timestamps },
    TwoSided {
        key: "window_scaling",
        parameter: "net/ipv4/tcp_window_scaling",
        of: |tcp| tcp.window_scaling,
    },
];

impl TwoSided {
    /// The value for each node. The option is on where a flow wants it, and where there are no
    /// flows.
    ///
    /// # Errors
    /// If a flow does not want the option, and at both its ends another flow wants it.
    fn values(&self, plan: &Plan, flows: &[&FlowPlan]) -> Result<Vec<bool>, LabError> {
        let wants = |node: usize| flows.iter().find(|flow| ends(flow, node) && self.is_on(flow));
        let wanted: Vec<_> = (0..plan.nodes.len()).map(wants).collect();
        for flow in flows.iter().filter(|flow| !self.is_on(flow)) {
            if let (Some(one), Some(_)) = (wanted[flow.source], wanted[flow.sink]) {
                return Err(contradiction(self.key, one, flow, &plan.nodes[flow.source].name));
            }
        }
        let is_idle = |node: usize| !flows.iter().any(|flow| ends(flow, node));
        let nodes = wanted.iter().enumerate();
        Ok(nodes.map(|(node, wanted)| wanted.is_some() || is_idle(node)).collect())
    }

    fn is_on(&self, flow: &FlowPlan) -> bool {
        (self.of)(&flow.spec.tcp)
    }
}

/// The value that all of these flows want; `None` if there are no flows.
///
/// # Errors
/// If the values differ.
fn agreed<'a, T: PartialEq>(
    flows: impl Iterator<Item = &'a &'a FlowPlan>,
    node: &str,
    key: &str,
    of: impl Fn(&Tcp) -> T,
) -> Result<Option<T>, LabError> {
    let mut first: Option<&FlowPlan> = None;
    for flow in flows {
        match first {
            Some(first) if of(&first.spec.tcp) != of(&flow.spec.tcp) => {
                return Err(contradiction(key, first, flow, node));
            }
            _ => first = Some(first.unwrap_or(flow)),
        }
    }
    Ok(first.map(|flow| of(&flow.spec.tcp)))
}

fn contradiction(key: &str, one: &FlowPlan, other: &FlowPlan, node: &str) -> LabError {
    LabError::Unfit(format!(
        "flow.{other}.{key}: it differs from that of flow.{one}, but the kernel at node `{node}` \
         has one setting for both; give them the same, or nodes of their own",
        other = other.name,
        one = one.name
    ))
}

/// `tcp_rmem` and `tcp_wmem`: room for the largest window. Half of a buffer is for the kernel's
/// overhead. A fixed window needs its room from the start, whatever the overhead is.
fn buffers(flows: &[&FlowPlan], node: usize) -> [(&'static str, String); 2] {
    let windows = || flows.iter().map(|flow| (ends(flow, node), flow.spec.tcp.receive_window));
    let room = |window: ReceiveWindow| match window {
        ReceiveWindow::Auto { max } => 2 * max.0,
        ReceiveWindow::Fixed(window) => (4 * window.0).max(FIRST_BUFFER),
    };
    let received = || windows().filter(|(here, _)| *here).map(|(_, window)| window);
    let is_fixed = |window: ReceiveWindow| matches!(window, ReceiveWindow::Fixed(_));
    let most = received().map(room).max().unwrap_or(2 * SEND_BUFFER);
    let first =
        if received().all(is_fixed) && received().count() > 0 { most } else { FIRST_BUFFER };
    let send = windows().map(|(_, window)| room(window)).max().unwrap_or(0).max(SEND_BUFFER);
    [
        ("net/ipv4/tcp_rmem", format!("4096 {} {most}", first.min(most))),
        ("net/ipv4/tcp_wmem", format!("4096 16384 {send}")),
    ]
}

/// The metrics of the routes from `node`, by the node to which they lead, where they differ from
/// the default.
fn routes(
    plan: &Plan,
    flows: &[&FlowPlan],
    node: usize,
) -> Result<BTreeMap<usize, RouteMetrics>, LabError> {
    let name = &plan.nodes[node].name;
    let mut routes = BTreeMap::new();
    for peer in (0..plan.nodes.len()).filter(|peer| *peer != node) {
        let there = || flows.iter().filter(|flow| ends(flow, node) && ends(flow, peer));
        let sends = || there().filter(|flow| sends(flow, node));
        let receives = there().filter(|flow| sends_back(flow, node));
        let window = agreed(sends(), name, "initial_window", |tcp| tcp.initial_window)?;
        let min_rto = agreed(sends(), name, "min_rto", |tcp| tcp.rto_floor.span())?;
        let acks_each = |tcp: &Tcp| tcp.acks == AckPolicy::EverySegment;
        let quick_ack = agreed(receives, name, "delayed_ack", acks_each)?;
        let metrics = RouteMetrics {
            initial_window: window.filter(|window| *window != INITIAL_WINDOW),
            min_rto_ms: min_rto.filter(|span| *span != MIN_RTO).map(milliseconds),
            quick_ack: quick_ack == Some(true),
        };
        if metrics != RouteMetrics::default() {
            routes.insert(peer, metrics);
        }
    }
    Ok(routes)
}

fn milliseconds(span: Span) -> u32 {
    u32::try_from(span.as_nanos() / 1_000_000).unwrap_or(u32::MAX)
}

fn ends(flow: &FlowPlan, node: usize) -> bool {
    flow.source == node || flow.sink == node
}

/// True if this node sends data; both ends of a page or a web load do.
fn sends(flow: &FlowPlan, node: usize) -> bool {
    flow.source == node || (flow.is_web() && flow.sink == node)
}

/// True if this node sends acknowledgements of data.
fn sends_back(flow: &FlowPlan, node: usize) -> bool {
    flow.sink == node || (flow.is_web() && flow.source == node)
}
