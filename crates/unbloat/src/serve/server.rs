//! `unbloat serve`: the server, from its options to its end.

use std::fs::File;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::path::Path;

use measure::protocol::PORT;
use measure::server::{Account, Bounds, Options, Server, ServerError};
use measure::token::Token;

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::message::note;

/// Serves until it is stopped.
pub(super) fn serve(args: &ServeArgs) -> Result<(), Failure> {
    let server = Server::bind(options(args)?).map_err(failure)?;
    let stopper = server.stopper();
    ctrlc::set_handler(move || stopper.stop())
        .map_err(|error| Failure::Run(format!("cannot listen for interrupts: {error}")))?;
    if !args.volume.quiet {
        note(listening(&server.addresses()));
    }
    let verbose = args.volume.verbose;
    let tell = move |test: &Account| {
        if verbose {
            note(line(test));
        }
    };
    server.run(tell).map_err(failure)
}

fn failure(error: ServerError) -> Failure {
    let taken = matches!(&error, ServerError::Listen { cause, .. }
        if cause.kind() == io::ErrorKind::AddrInUse);
    let hint = match taken {
        true => "; perhaps a server runs already: take another port with --port",
        false => "",
    };
    match error {
        ServerError::Congestion(_) => Failure::Input(error.to_string()),
        _ => Failure::Run(format!("{error}{hint}")),
    }
}

/// The arguments as the server's options.
fn options(args: &ServeArgs) -> Result<Options, Failure> {
    let typed = &args.bounds;
    Ok(Options {
        addresses: args.bind.iter().map(|place| place.or(args.port)).collect(),
        port: args.port,
        bounds: Bounds {
            tests: typed.tests,
            time: typed.max_time.into(),
            flows: typed.flows,
            rate: typed.max_rate,
            waiting: typed.waiting,
            per_address: typed.per_address,
            patience: typed.patience.into(),
            idle: typed.idle.into(),
        },
        congestion: args.congestion.clone(),
        token: args.token_file.as_deref().map(token).transpose()?,
        fault: args.clock_fault,
    })
}

/// The token in a file.
pub(crate) fn token(file: &Path) -> Result<Token, Failure> {
    // More than a token may have, so that a longer one is noticed. The limit is needed because the
    // file may be a device without an end.
    const ENOUGH: u64 = 1 << 16;
    let mut contents = Vec::new();
    let read = File::open(file).and_then(|file| file.take(ENOUGH).read_to_end(&mut contents));
    let refuse = |problem: String| Failure::Input(format!("{}: {problem}", file.display()));
    read.map_err(|error| refuse(format!("cannot read the token: {error}")))?;
    Token::new(&contents).map_err(|error| refuse(error.to_string()))
}

/// The addresses that the server listens on, and the command to run elsewhere.
fn listening(addresses: &[SocketAddr]) -> String {
    let listed: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
    let host = match addresses {
        [one, ..] if one.port() != PORT => format!("HOST:{}", one.port()),
        _ => "HOST".into(),
    };
    let listed = listed.join(" and ");
    format!(
        "listening on {listed}, TCP and UDP; elsewhere, with this machine as HOST: unbloat test {host}"
    )
}

/// A test in one line. The program's name is the client's choice, so it is made printable.
fn line(test: &Account) -> String {
    let Account { client, program, lasted, up, down, probes } = test;
    let program = report::printable(program);
    let [up, down] = [up, down].map(|bytes| bytes.0 as f64 / 1e6);
    let lasted = lasted.as_secs_f64();
    format!(
        "{client} ({program}): {lasted:.1} s, {up:.1} MB up, {down:.1} MB down, {probes} probes"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::{Bytes, Span};

    #[test]
    fn a_server_says_where_it_is_and_how_to_reach_it() {
        let usual = ["0.0.0.0:8517".parse().unwrap(), "[::]:8517".parse().unwrap()];
        let text = listening(&usual);
        assert!(text.contains("0.0.0.0:8517 and [::]:8517"), "{text}");
        assert!(text.ends_with("unbloat test HOST"), "{text}");
        assert!(listening(&["192.0.2.1:9000".parse().unwrap()]).ends_with("test HOST:9000"));
    }

    #[test]
    fn a_test_is_a_line() {
        let account = Account {
            client: "192.0.2.1:4000".parse().unwrap(),
            program: "unbloat 0.1.0".into(),
            lasted: Span::from_millis(20_040),
            up: Bytes(5_000_000),
            down: Bytes(50_000_000),
            probes: 1_000,
        };
        assert_eq!(
            line(&account),
            "192.0.2.1:4000 (unbloat 0.1.0): 20.0 s, 5.0 MB up, 50.0 MB down, 1000 probes"
        );
        assert!(!line(&Account { program: "a\nb".into(), ..account }).contains('\n'));
    }
}
