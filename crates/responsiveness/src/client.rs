//! The test: find the server, measure the idle path, load one direction, then the other.

pub(crate) mod connection;
mod direction;
mod load;
mod machine;
mod probe;
mod target;

use std::sync::Arc;
use std::time::Duration;

use kernel::Clock;
use observation::Heading;
use results::{ForeignTimes, Responsiveness};
use tokio::runtime;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ProtocolVersion;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::configuration::{Configuration, Urls};
use crate::score::Means;
use crate::trust::Trust;
use crate::{Error, Parameters};
use connection::Dialer;
use direction::MeasuredDirection;
pub use direction::Progress;
use hyper::Uri;
use probe::ProbeResult;

/// The largest configuration that is read, in bytes.
const CONFIGURATION: usize = 1 << 16;

/// The longest wait for the server's configuration, and for the probes of an idle path.
const PATIENCE: Duration = Duration::from_secs(20);

/// The number of new connections on the idle path.
const IDLE_PROBES: usize = 10;

/// A test: the server, and what to measure.
#[derive(Clone, Debug)]
pub struct Test {
    /// The URL of the server's configuration; without a path, that of
    /// [`WELL_KNOWN`](crate::WELL_KNOWN).
    pub url: String,
    /// The certificates that are accepted.
    pub trust: Trust,
    /// The parameters of the measurement.
    pub parameters: Parameters,
    /// The directions to measure, one after the other.
    pub headings: Vec<Heading>,
}

/// Measures the responsiveness. `stop` is called often; if it returns true the test ends early with
/// the figures so far. `tell` is called after each interval.
///
/// # Errors
/// If the URL is wrong, or there is no such server. An error after the first figures is in
/// [`Responsiveness::partial_reason`] instead.
pub fn test(
    test: &Test,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Progress),
) -> Result<Responsiveness, Error> {
    let runtime = runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Start(error.to_string()))?;
    let result = runtime.block_on(run(test, stop, tell));
    // Tasks that still wait for a name or an answer are not needed any more.
    runtime.shutdown_background();
    result
}

async fn run(
    test: &Test,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Progress),
) -> Result<Responsiveness, Error> {
    let clock = Clock::start();
    let url = target::configuration_url(&test.url)?;
    let (dialer, urls) = within(discover(&url, test.trust, clock), "finding the server").await?;
    let (idle_ms, version) = within(idle(&dialer, &urls), "measuring the idle path").await?;
    let mut found = Responsiveness {
        url: url.to_string(),
        address: dialer.address.to_string(),
        tls: version.map(name),
        interval_s: test.parameters.interval.as_secs_f64(),
        idle_ms,
        ..Responsiveness::default()
    };
    for heading in &test.headings {
        let direction = MeasuredDirection::new(
            *heading,
            test.parameters,
            dialer.clone(),
            urls.clone(),
            idle_ms,
        );
        let (loaded, reason) = direction.run(stop, tell).await;
        match heading {
            Heading::Down => found.download = Some(loaded),
            Heading::Up => found.upload = Some(loaded),
        }
        found.partial_reason = reason;
        if found.partial_reason.is_some() {
            break;
        }
    }
    found.duration_s = clock.now().as_secs_f64();
    Ok(found)
}

async fn within<T>(job: impl Future<Output = Result<T, Error>>, what: &str) -> Result<T, Error> {
    let late = |_| Error::Late { what: what.into(), seconds: PATIENCE.as_secs() };
    timeout(PATIENCE, job).await.map_err(late)?
}

/// Reads the configuration, and finds the host that it names.
async fn discover(url: &Uri, trust: Trust, clock: Clock) -> Result<(Dialer, Arc<Urls>), Error> {
    let tls = TlsConnector::from(Arc::new(trust.client()?));
    let dialer = dialer_to(url, None, tls.clone(), clock).await?;
    let text = dialer.dial().await?.0.get(url, CONFIGURATION).await?;
    let read = Configuration::read(&text);
    let read = read.map_err(|problem| Error::Configuration { url: url.to_string(), problem })?;
    let endpoint = read.test_endpoint.as_deref();
    let dialer = dialer_to(&read.urls.small, endpoint, tls, clock).await?;
    Ok((dialer, Arc::new(read.urls)))
}

/// A dialer to the host of a URL, or to another one in its place: "as if it had a local (e.g.,
/// /etc/hosts) entry overriding the IP address(es)", which leaves the port as it is.
async fn dialer_to(
    url: &Uri,
    endpoint: Option<&str>,
    tls: TlsConnector,
    clock: Clock,
) -> Result<Dialer, Error> {
    let (host, port) = target::host_and_port(url);
    let wrong = |_| Error::Url { url: url.to_string(), problem: "names no host".into() };
    let name = ServerName::try_from(host.to_owned()).map_err(wrong)?;
    let address = target::reachable(endpoint.unwrap_or(host), port).await?;
    Ok(Dialer { address, name, tls, clock })
}

/// The times of connections made one after the other while nothing is loaded.
async fn idle(
    dialer: &Dialer,
    urls: &Urls,
) -> Result<(ForeignTimes, Option<ProtocolVersion>), Error> {
    let mut times = Vec::new();
    for _ in 0..IDLE_PROBES {
        if let ProbeResult::Foreign(probe) =
            probe::foreign(dialer.clone(), urls.small.clone()).await?
        {
            times.push(probe);
        }
    }
    let means = Means::of(&times, &[], 100);
    let version = dialer.dial().await?.0.handshakes.version;
    Ok((ForeignTimes { tcp: means.tcp, tls: means.tls, http: means.http }, version))
}

fn name(version: ProtocolVersion) -> String {
    match version {
        ProtocolVersion::TLSv1_2 => "TLS 1.2".into(),
        ProtocolVersion::TLSv1_3 => "TLS 1.3".into(),
        other => format!("{other:?}"),
    }
}
