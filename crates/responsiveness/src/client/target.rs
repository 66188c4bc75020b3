//! The address to connect to.

use std::net::SocketAddr;
use std::time::Duration;

use hyper::Uri;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use crate::Error;
use crate::configuration::WELL_KNOWN;

/// The longest wait for an address to answer: the next one may (where IPv6 is broken).
const PATIENCE: Duration = Duration::from_secs(5);

/// The URL of a configuration: with the well-known path if the text has none.
pub(crate) fn configuration_url(url: &str) -> Result<Uri, Error> {
    let wrong = |problem: String| Error::Url { url: url.to_owned(), problem };
    let uri: Uri = url.parse().map_err(|error| wrong(format!("is no URL: {error}")))?;
    if uri.scheme_str() != Some("https") {
        return Err(wrong("does not begin with https://".into()));
    }
    if uri.host().is_none_or(str::is_empty) {
        return Err(wrong("names no host".into()));
    }
    // The parser ignores a port that is not valid.
    let has_port = uri.authority().zip(uri.host()).is_some_and(|(whole, host)| {
        whole.as_str().rsplit('@').next().is_some_and(|place| place.len() > host.len())
    });
    if has_port && uri.port_u16().is_none_or(|port| port == 0) {
        return Err(wrong("has no port from 1 to 65535".into()));
    }
    if !matches!(uri.path(), "" | "/") {
        return Ok(uri);
    }
    let mut parts = uri.into_parts();
    parts.path_and_query = Some(hyper::http::uri::PathAndQuery::from_static(WELL_KNOWN));
    Uri::from_parts(parts).map_err(|error| wrong(format!("is no URL: {error}")))
}

/// The host of a URL, without the brackets of an IPv6 address, and its port.
pub(crate) fn host_and_port(url: &Uri) -> (&str, u16) {
    let host = url.host().unwrap_or_default();
    (host.trim_start_matches('[').trim_end_matches(']'), url.port_u16().unwrap_or(443))
}

/// The first address of a host that takes a connection.
pub(crate) async fn reachable(host: &str, port: u16) -> Result<SocketAddr, Error> {
    let unknown = |source| Error::Resolve { host: host.to_owned(), source };
    let addresses = lookup_host((host, port)).await.map_err(unknown)?;
    let mut last = Err(unknown(std::io::ErrorKind::NotFound.into()));
    for address in addresses {
        let source = match timeout(PATIENCE, TcpStream::connect(address)).await {
            Ok(Ok(_)) => return Ok(address),
            Ok(Err(error)) => error,
            Err(_) => std::io::ErrorKind::TimedOut.into(),
        };
        last = Err(Error::Connect { address, source });
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_alone_means_the_well_known_place() {
        for url in ["https://nq.example", "https://nq.example/"] {
            let uri = configuration_url(url).expect("it is good");
            assert_eq!(uri.to_string(), "https://nq.example/.well-known/nq");
        }
        let other = configuration_url("https://[::1]:4043/config").expect("it is good");
        assert_eq!((other.path(), host_and_port(&other)), ("/config", ("::1", 4043)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (url, problem) in [
            ("nq.example", "does not begin with https://"),
            ("http://nq.example", "does not begin with https://"),
            ("https://", "is no URL"),
            ("https:// /", "is no URL"),
            ("https://nq.example:99999", "has no port"),
            ("https://nq.example:0/config", "has no port"),
        ] {
            let said = configuration_url(url).expect_err("it is bad").to_string();
            assert!(said.contains(problem) && said.contains("right would be"), "{said}");
        }
    }
}
