//! The certificate that a server shows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::Error;

/// The source of a server's certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A certificate in files, in PEM.
    Files {
        /// The server's certificate, and the chain to one that clients trust.
        certificate: PathBuf,
        /// The key of the server's certificate.
        key: PathBuf,
    },
    /// A new self-signed certificate for these names, valid for one run of the server.
    SelfSigned {
        /// Host names and addresses.
        names: Vec<String>,
    },
}

impl Identity {
    /// The TLS settings of a server: HTTP/2, and HTTP/1.1 for clients that have no other.
    pub(crate) fn server(&self) -> Result<ServerConfig, Error> {
        let (file, (chain, key)) = match self {
            Self::Files { certificate, key } => {
                (certificate.display().to_string(), read(certificate, key)?)
            }
            Self::SelfSigned { names } => ("the new certificate".into(), make(names)?),
        };
        let wrong = |error: tokio_rustls::rustls::Error| Error::Certificate {
            file: file.clone(),
            problem: error.to_string(),
        };
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().map_err(wrong)?;
        let mut config =
            builder.with_no_client_auth().with_single_cert(chain, key).map_err(wrong)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }
}

type Pair = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn read(certificate: &Path, key: &Path) -> Result<Pair, Error> {
    let wrong = |file: &Path, error: &dyn std::fmt::Display| Error::Certificate {
        file: file.display().to_string(),
        problem: format!("{error}; it must be a file in PEM"),
    };
    let chain: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect);
    let chain = chain.map_err(|error| wrong(certificate, &error))?;
    if chain.is_empty() {
        return Err(wrong(certificate, &"there is no certificate in it"));
    }
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, &error))?;
    Ok((chain, key))
}

fn make(names: &[String]) -> Result<Pair, Error> {
    let made = rcgen::generate_simple_self_signed(names).map_err(|error| Error::Certificate {
        file: "a certificate of our own".into(),
        problem: format!("cannot be made for {}: {error}", names.join(", ")),
    })?;
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    Ok((vec![made.cert.into()], key.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_enough() {
        let identity = Identity::SelfSigned { names: vec!["localhost".into(), "::1".into()] };
        assert!(identity.server().is_ok());
    }

    #[test]
    fn what_is_no_certificate_is_named() {
        let here = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        for certificate in [here, "missing.pem".into()] {
            let identity =
                Identity::Files { certificate: certificate.clone(), key: "k.pem".into() };
            let said = identity.server().expect_err("it is none").to_string();
            assert!(said.starts_with(&certificate.display().to_string()), "{said}");
            assert!(said.ends_with("it must be a file in PEM"), "{said}");
        }
    }
}
