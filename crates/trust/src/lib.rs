//! The certificates that the system trusts, for clients of TLS.

use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// The error that the system's certificates cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// No certificate of the system can be read.
    #[error("the system's certificates cannot be read: {0}")]
    NoCertificates(String),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// The certificates that the system trusts.
///
/// # Errors
/// If none can be read.
pub fn certificates() -> Result<RootCertStore, TrustError> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (usable, _) = roots.add_parsable_certificates(found.certs);
    if usable == 0 {
        let errors: Vec<_> = found.errors.iter().map(ToString::to_string).collect();
        let why = if errors.is_empty() { "it has none".into() } else { errors.join(", ") };
        return Err(TrustError::NoCertificates(why));
    }
    Ok(roots)
}

/// The settings of a client that trusts what the system trusts.
///
/// # Errors
/// If the system's certificates cannot be used.
pub fn client() -> Result<ClientConfig, TrustError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(certificates()?);
    Ok(builder.with_no_client_auth())
}
