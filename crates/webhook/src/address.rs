//! An address to post to.

use std::str::FromStr;

use hyper::Uri;

/// An address to post to: `http://HOST[:PORT]/PATH`, or with `https`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub(crate) is_secure: bool,
    /// The host: a name, or an address without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The host and the port as they were written.
    pub(crate) authority: String,
    /// The path with its query.
    pub(crate) path: String,
}

/// The error that a text is no address to post to.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The text is something else.
    #[error("{0:?} is no address to post to; write https://HOST/PATH")]
    Form(String),
    /// The text has a name and a password, which are not sent.
    #[error("an address with a user is not supported; write https://HOST/PATH")]
    User,
    /// This program was built without https.
    #[error("this program was built without https; write http://HOST/PATH")]
    NoHttps,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let form = || AddressError::Form(text.to_owned());
        let uri: Uri = text.parse().map_err(|_| form())?;
        let (is_secure, usual_port) = match uri.scheme_str() {
            Some("http") => (false, 80),
            Some("https") if cfg!(feature = "https") => (true, 443),
            Some("https") => return Err(AddressError::NoHttps),
            _ => return Err(form()),
        };
        let authority = uri.authority().ok_or_else(form)?;
        if authority.as_str().contains('@') {
            return Err(AddressError::User);
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        // A port that is none is found by the standard library alone.
        let is_bare = authority.as_str() == authority.host();
        let port = if is_bare { Some(usual_port) } else { authority.port_u16() };
        let port = port.filter(|it| *it > 0 && !host.is_empty()).ok_or_else(form)?;
        Ok(Self {
            is_secure,
            host: host.to_owned(),
            port,
            authority: authority.to_string(),
            path: uri.path_and_query().map_or("/", |it| it.as_str()).to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_others_are_refused() {
        let address: Address = "http://[2001:db8::1]:8080/a/b?c=d".parse().unwrap();
        assert_eq!((address.host.as_str(), address.port), ("2001:db8::1", 8080));
        assert_eq!(address.path, "/a/b?c=d");
        let address: Address = "http://example.net".parse().unwrap();
        assert_eq!((address.port, address.path.as_str()), (80, "/"));
        for text in [
            "",
            "example.net",
            "ftp://example.net/",
            "http:///x",
            "http://:80/",
            "http://a:0/",
            "http://a:99999/",
            "http://a b/",
        ] {
            assert_eq!(text.parse::<Address>(), Err(AddressError::Form(text.to_owned())));
        }
        assert_eq!("http://me:it@example.net/".parse::<Address>(), Err(AddressError::User));
    }

    #[test]
    fn https_is_read_where_there_is_tls() {
        let address = "https://example.net/x".parse::<Address>();
        if cfg!(feature = "https") {
            assert_eq!(address.unwrap().port, 443);
        } else {
            assert_eq!(address, Err(AddressError::NoHttps));
        }
    }
}
