//! A small web server for figures and pages. It bounds what a stranger can make it do: it serves few
//! connections at once, reads no bodies, and closes connections on which nothing moves.
//!
//! Specification: RFC 9112 (HTTP/1.1).

mod places;
mod server;

pub use server::{Answer, Request, WebError, serve};
