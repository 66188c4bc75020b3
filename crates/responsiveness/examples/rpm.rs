//! A server or a test: `rpm serve [::]:4043 [CERTIFICATE KEY]`,
//! `rpm test https://localhost:4043 1`.

use std::env;
use std::error::Error;

use observation::Heading;
use responsiveness::{Identity, Limits, Parameters, Server, Test, Trust, serve, test};
use units::Span;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", address, ref files @ ..] => {
            let identity = match files {
                [certificate, key] => {
                    Identity::Files { certificate: certificate.into(), key: key.into() }
                }
                _ => Identity::SelfSigned { names: vec!["localhost".into()] },
            };
            let server = Server {
                listen: vec![address.parse()?],
                identity,
                congestion: None,
                limits: Limits::default(),
            };
            serve(&server, &|| false, &mut |addresses| println!("{addresses:?}"))?;
        }
        ["test", url, seconds] => {
            let interval = Span::from_secs_f64(seconds.parse()?);
            let what = Test {
                url: url.into(),
                trust: Trust::Anybody,
                parameters: Parameters { interval, ..Parameters::default() },
                headings: vec![Heading::Down, Heading::Up],
            };
            let found = test(&what, &|| false, &mut |progress| eprintln!("{progress:?}"))?;
            println!("{}", serde_json::to_string_pretty(&found)?);
        }
        _ => return Err("say `serve ADDRESS` or `test URL SECONDS`".into()),
    }
    Ok(())
}
