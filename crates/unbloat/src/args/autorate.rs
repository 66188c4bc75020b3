//! The arguments of `unbloat autorate`.

use std::net::SocketAddr;

use super::device::device;

use super::COMMON;

#[derive(Debug, clap::Args)]
pub(crate) struct AutorateArgs {
    /// Interface to the provider, which has a CAKE with a bandwidth: `eth0`, `pppoe-wan`
    #[arg(value_name = "DEV", value_parser = device)]
    pub(crate) interface: String,

    /// Device whose CAKE queues incoming packets [default: `ifb4DEV`, as SQM names it, or
    /// `ifb-DEV`, as `unbloat fix` does]
    #[arg(long, value_name = "DEV", value_parser = device)]
    pub(crate) down_dev: Option<String>,

    #[command(flatten)]
    pub(crate) follow: super::FollowArgs,

    /// Serve the rates to Prometheus: `127.0.0.1:9818`
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = super::device::listener(9818))]
    pub(crate) metrics: Option<SocketAddr>,

    /// Print a JSON document each second
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    /// Print only errors on stderr
    #[arg(short, long, help_heading = COMMON)]
    pub(crate) quiet: bool,
}

pub(super) const EXAMPLES: &str = "\
Examples:
  unbloat autorate wan \\
      --reflectors 1.1.1.1,9.9.9.9,8.8.8.8,149.112.112.112,1.0.0.1,8.8.4.4
  unbloat autorate wan --server vps.example.net --up-range 2mbit-20mbit \\
      --down-range 5mbit-80mbit
  unbloat autorate eth0 --down-dev ifb0
  unbloat autorate wan --json > rates.jsonl

The queues stay the kernel's own; only their rates change while it runs. The rates at the beginning \
are the base rates, which the line has most of the time; they are restored at the end. It needs \
CAP_NET_ADMIN and CAP_NET_RAW, which root has. For a kernel without CAKE, use `unbloat shape \
--autorate`.

Exit codes: 0 ended, 1 failed while running, 2 bad usage or bad input.";
