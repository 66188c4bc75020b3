use super::*;

#[test]
fn targets_are_written_as_they_are_read() {
    for text in [
        "192.0.2.1",
        "2001:db8::1",
        "example.net",
        "server:example.net",
        "server:example.net:7000",
        "irtt:[2001:db8::1]",
        "tcp:example.net:443",
        "tcp:[2001:db8::1]:22",
        "dns:9.9.9.9",
        "dns:[2620:fe::fe]",
        "dns:[2620:fe::fe]:5353/www.example.org",
        "https://example.net",
        "https://example.net:8443/a/b?c",
    ] {
        assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
    }
    let other = [
        ("ping:[2001:db8::1]", "2001:db8::1"),
        ("dns:9.9.9.9/example.com.", "dns:9.9.9.9"),
        ("dns:2620:fe::fe", "dns:[2620:fe::fe]"),
    ];
    for (text, plain) in other {
        assert_eq!(text.parse::<Target>().unwrap().to_string(), plain);
    }
}

#[test]
fn a_target_may_have_a_name() {
    for (text, name, target) in [
        ("office=192.0.2.1", "office", "192.0.2.1"),
        ("My router = tcp:192.0.2.1:80", "My router", "tcp:192.0.2.1:80"),
        ("web=https://example.net/?a=b", "web", "https://example.net/?a=b"),
        ("https://example.net/?a=b", "https://example.net/?a=b", "https://example.net/?a=b"),
        ("dns:192.0.2.1/a=b", "dns:192.0.2.1/a=b", "dns:192.0.2.1/a=b"),
    ] {
        let read: Target = text.parse().unwrap();
        assert_eq!((read.name(), read.to_string()), (name.to_owned(), target.to_owned()));
    }
}

#[test]
fn what_is_no_name_is_refused_with_a_reason() {
    for (text, reason) in [
        ("=192.0.2.1", "there is no name before `=`"),
        ("a=", "there is no target behind `=`"),
        ("hop 1=192.0.2.1", "is the name of a hop or of this machine"),
        ("this machine=192.0.2.1", "is the name of a hop or of this machine"),
        ("a\tb=192.0.2.1", "a name has no control characters"),
        (&format!("{}=192.0.2.1", "a".repeat(61)), "a name has at most 60 characters"),
    ] {
        let error = text.parse::<Target>().unwrap_err();
        assert!(error.contains(reason) && error.ends_with("write NAME=TARGET"), "{error}");
    }
}

#[test]
fn what_is_no_target_is_refused_with_a_reason() {
    for (text, reason) in [
        ("", "the target is empty"),
        ("  ", "the target is empty"),
        ("a=http://example.net", "is a URL that is not of https"),
        ("-x", "names no host"),
        ("127.0.0.1,127.0.0.2", "has a comma; write HOST"),
        ("a b", "names no host"),
        ("example.net:80", "has a port, which pings do not have"),
        ("http://example.net", "is a URL that is not of https"),
        ("foo:192.0.2.1", "is no kind of target"),
        ("localhost:80", "has a port, which pings do not have"),
        ("2001:db8::1::2", "has a port, which pings do not have"),
        ("tcp:example.net", "names no port"),
        ("tcp:example.net:0", "has no port from 1 to 65535"),
        ("tcp:[::1:80", "has no `]`"),
        ("dns:9.9.9.9/a..b", "asks for no name of DNS"),
        ("dns:9.9.9.9/a b", "asks for no name of DNS"),
        ("https:example.net", "has no `//`"),
        ("https://example.net/a b", "has a path"),
    ] {
        let error = text.parse::<Target>().unwrap_err();
        assert!(error.contains(reason), "{text:?}: {error}");
        assert!(error.contains("write HOST"), "{error}");
    }
    for (text, right) in [
        ("a,127.0.0.5", "`a,127.0.0.5` has a comma; write `a=127.0.0.5`"),
        (
            "https://user@example.net/a",
            "names a user, and no probe sends one; write `https://example.net/a`",
        ),
        ("https://user:word@example.net", "write `https://example.net`"),
        ("root@example.net", "write `example.net`"),
        ("tcp:root@example.net:22", "write `tcp:example.net:22`"),
        ("https://2001:db8::1", "without brackets; write `https://[2001:db8::1]`"),
        ("https://2001:db8::1:443", "`https://[2001:db8::1]:443` or `https://[2001:db8::1:443]`"),
        ("tcp:2001:db8::1:443", "`tcp:[2001:db8::1]:443` or"),
        ("server:2001:db8::1:7000", "`server:[2001:db8::1]:7000` or"),
        ("10.0.0.0/24", "is a network and no host; write one address of it"),
        ("tcp:10.0.0.1/24:80", "is a network and no host"),
        ("example.net/path", "has a path"),
        ("server:", "`server:` names no host; write HOST"),
        ("server::8517", "`server::8517` names no host"),
        ("server:[::1", "`server:[::1` has no `]`"),
        ("[::1", "`[::1` has no `]`; write `[::1]`, or the address without brackets"),
        ("999.1.1.1", "`999.1.1.1` is no IPv4 address; write four numbers from 0 to 255"),
        ("tcp:192.0.2:80", "`192.0.2` is no IPv4 address"),
        ("a=https://192.0.2.256/x", "`192.0.2.256` is no IPv4 address"),
        ("server:192.0.2.01", "`192.0.2.01` is no IPv4 address"),
        ("tcp:example.net/path:80", "has a path"),
    ] {
        let error = text.parse::<Target>().unwrap_err();
        assert!(error.contains(right), "{text:?}: {error}");
    }
    for (text, meant) in [
        ("serve:example.net", "did you mean `server:example.net`?"),
        ("tpc:[::1]:443", "did you mean `tcp:[::1]:443`?"),
    ] {
        let error = text.parse::<Target>().unwrap_err();
        assert!(error.contains(meant), "{text:?}: {error}");
    }
}
