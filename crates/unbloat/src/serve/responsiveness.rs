//! `unbloat serve --responsiveness`: a server for any client of the IETF draft.

use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use responsiveness::{Error, Identity, Limits, Server};

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::message::note;

/// Serves until it is stopped.
pub(super) fn serve(args: &ServeArgs) -> Result<(), Failure> {
    let server = server(args);
    let stopped = Arc::new(AtomicBool::new(false));
    let asked = stopped.clone();
    ctrlc::set_handler(move || asked.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::Run(format!("cannot listen for interrupts: {error}")))?;
    let insecure = matches!(server.identity, Identity::SelfSigned { .. });
    let mut ready = |addresses: &[SocketAddr]| {
        if !args.volume.quiet {
            note(listening(addresses, insecure));
        }
    };
    responsiveness::serve(&server, &|| stopped.load(Ordering::Relaxed), &mut ready).map_err(failure)
}

fn server(args: &ServeArgs) -> Server {
    let identity = match (&args.ietf.certificate, &args.ietf.key) {
        (Some(certificate), Some(key)) => {
            Identity::Files { certificate: certificate.clone(), key: key.clone() }
        }
        _ => Identity::SelfSigned { names: vec!["localhost".into()] },
    };
    let mut listen: Vec<_> = args.bind.iter().map(|place| place.or(args.port)).collect();
    if listen.is_empty() {
        listen.push((Ipv6Addr::UNSPECIFIED, args.port).into());
    }
    let limits = Limits {
        lifetime: args.bounds.max_time.into(),
        rate: args.bounds.max_rate,
        ..Limits::default()
    };
    Server { listen, identity, congestion: args.congestion.clone(), limits }
}

fn failure(error: Error) -> Failure {
    if error.is_input() {
        Failure::Input(error.to_string())
    } else {
        Failure::Run(error.to_string())
    }
}

/// The addresses that the server listens on, and the command to run elsewhere.
fn listening(addresses: &[SocketAddr], insecure: bool) -> String {
    let listed: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
    let port = addresses.first().map_or(0, SocketAddr::port);
    let listed = listed.join(" and ");
    let insecure = if insecure { " --insecure" } else { "" };
    format!(
        "listening on {listed}; elsewhere, with this machine as HOST: \
         unbloat test --responsiveness{insecure} https://HOST:{port}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_how_to_reach_it() {
        let text = listening(&["[::]:8517".parse().unwrap()], true);
        assert!(text.starts_with("listening on [::]:8517;"), "{text}");
        assert!(text.ends_with("--responsiveness --insecure https://HOST:8517"), "{text}");
    }
}
