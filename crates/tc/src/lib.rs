//! The statistics of queues as `tc -s qdisc show` and `tc -s -j qdisc show` of iproute2 print them:
//! read, made of the queues of this project, and printed.
//!
//! ```
//! use tc::Listing;
//!
//! let text = "qdisc codel 8001: dev wan root refcnt 2 limit 1000p target 5ms interval 100ms \n \
//!             Sent 3028 bytes 2 pkt (dropped 1, overlimits 0 requeues 0) \n \
//!             backlog 0b 0p requeues 0\n  \
//!             count 0 lastcount 0 ldelay 7us drop_next 0us\n  \
//!             maxpacket 1514 ecn_mark 0 drop_overlimit 1\n";
//! let listing: Listing = text.parse()?;
//! assert_eq!(listing.to_string(), text);
//! assert_eq!(listing.queues[0].fields()["drop_overlimit"], 1);
//! assert!(listing.to_json().starts_with(r#"[{"kind":"codel","handle":"8001:","dev":"wan","#));
//! # Ok::<(), tc::TcError>(())
//! ```
//!
//! A queue is held as the JSON object that tc prints of it. A layout says how its
//! text is made of that object, and the same layout reads the text: what is read is printed again
//! unchanged. In text, times have three digits, and rates and sizes are rounded, so that only JSON
//! has all that a kernel tells.
//!
//! A queue may also come from the kernel itself, in the same names and units:
//! [`ListedQdisc::from_netlink`].
//!
//! Of kinds of queues that have no layout here, JSON and text are each kept as they came.
//!
//! Specification: iproute2 7.1, `tc/tc_qdisc.c`, `tc/tc_util.c`, `lib/json_print.c` and the
//! `tc/q_*.c` of each kind.

mod cursor;
mod error;
mod json;
mod kinds;
mod layout;
mod listed;
mod listing;
mod netlink;
mod own;
mod quantity;

pub use error::TcError;
pub use kinds::cake::tin_names;
pub use layout::StatsTable;
pub use listed::ListedQdisc;
pub use listing::Listing;
pub use own::{Other, Own};

/// The fields of a JSON object, in tc's order.
pub type Fields = serde_json::Map<String, serde_json::Value>;
