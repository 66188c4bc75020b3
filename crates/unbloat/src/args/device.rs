//! Names of interfaces and addresses of this machine on the command line.

use std::net::SocketAddr;

use units::Excerpt;

/// The name of an interface in a text, where Linux can have one of that name (`dev_valid_name` of
/// `net/core/dev.c`).
///
/// # Errors
/// If Linux has no such names.
pub(super) fn device(text: &str) -> Result<String, String> {
    /// IFNAMSIZ, less one for the zero behind it.
    const LONGEST: usize = 15;
    let wrong = |why: &str| {
        let name = Excerpt(text);
        Err(format!(
            "{name} is not the name of an interface: {why}; write it as `ip link` shows it"
        ))
    };
    match text {
        "" => Err("an interface has a name, as `ip link` shows it: eth0".into()),
        "." | ".." => wrong("it would be a folder"),
        _ if text.len() > LONGEST => wrong("one has at most 15 characters"),
        _ if text.contains(['/', ':']) => wrong("none has a `/` or `:`"),
        _ if text.contains(char::is_whitespace) => wrong("none has blank space"),
        _ => Ok(text.to_owned()),
    }
}

/// The parser of an address and a port at which this machine serves something. `usual` is the port in
/// the help text, and so in the message.
pub(super) fn listener(
    usual: u16,
) -> impl Fn(&str) -> Result<SocketAddr, String> + Clone + Send + Sync + 'static {
    move |text| {
        let address = match text.strip_prefix("localhost:") {
            Some(port) => format!("127.0.0.1:{port}"),
            None => text.to_owned(),
        };
        address.parse().map_err(|_| {
            format!(
                "write an address of this machine and a port: 127.0.0.1:{usual}, [::1]:{usual}, or \
                 0.0.0.0:{usual} for all of its addresses"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_is_this_machine() {
        let listener = listener(9819);
        assert_eq!(listener("localhost:9100"), Ok("127.0.0.1:9100".parse().unwrap()));
        assert_eq!(listener("[::1]:9100"), Ok("[::1]:9100".parse().unwrap()));
        for wrong in ["localhost", "localhost:", "far.example.net:9100"] {
            assert!(listener(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_are_those_that_linux_takes() {
        for name in ["lo", "eth0", "pppoe-wan", "eth0.7", "enp0s31f6", "fifteen_letters", "zü"] {
            assert_eq!(device(name).as_deref(), Ok(name));
        }
        for (name, why) in [
            ("", "has a name"),
            ("sixteen__letters", "at most 15"),
            ("averyveryverylonginterfacename", "at most 15"),
            ("eth0/1", "`/`"),
            ("eth0:1", "`:`"),
            ("eth 0", "blank"),
            ("eth0\n", "blank"),
            ("..", "folder"),
        ] {
            let said = device(name).unwrap_err();
            assert!(said.contains(why), "{name:?}: {said}");
        }
    }
}
