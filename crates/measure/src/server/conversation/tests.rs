use observation::Heading;

use super::*;

/// The actions that these lines ask for.
fn wishes(token: Option<&str>, lines: &str) -> Vec<Action> {
    let token = token.map(|token| Arc::new(Token::new(token.as_bytes()).unwrap()));
    let mut conversation = Conversation::new(token, "nonce".into());
    let (mut rest, mut wishes) = (lines.as_bytes(), Vec::new());
    loop {
        let (taken, action) = conversation.hear(rest);
        rest = &rest[taken..];
        wishes.extend(action);
        if taken == 0 {
            return wishes;
        }
    }
}

fn refused(action: &Action) -> Reason {
    let Action::Refuse(reason, message) = action else { panic!("{action:?}") };
    assert!(message.len() > 10 && !message.contains(char::is_control), "{message:?}");
    *reason
}

const HELLO: &str = "{\"hello\":{\"protocol\":2,\"program\":\"a test\"}}\n";

#[test]
fn a_test_is_asked_for_and_ended() {
    let wishes = wishes(None, &format!("{HELLO}\"collect\"\n\"collect\"\n\"bye\"\n{HELLO}"));
    assert_eq!(wishes, [Action::Test, Action::Collect, Action::Collect, Action::Bye]);
}

#[test]
fn who_knows_the_token_is_welcome() {
    let proof = Token::new(b"secret").unwrap().prove("nonce");
    let right = wishes(Some("secret"), &format!("{HELLO}{{\"proof\":\"{proof}\"}}\n"));
    assert_eq!(right, [Action::Challenge, Action::Test]);
    let wrong = wishes(Some("other"), &format!("{HELLO}{{\"proof\":\"{proof}\"}}\n\"collect\"\n"));
    assert_eq!((wrong.len(), refused(&wrong[1])), (2, Reason::Token));
    let eager = wishes(Some("secret"), &format!("{HELLO}\"collect\"\n"));
    assert_eq!(refused(&eager[1]), Reason::Malformed);
}

#[test]
fn a_flow_says_what_it_is_to_be_like() {
    let flow = |dscp: u32, segment: &str| {
        wishes(
            None,
            &format!(
                "{{\"flow\":{{\"test\":\"a\",\"heading\":\"down\",\"congestion\":[\"cubic\"],\
                 \"dscp\":{dscp},\"segment\":{segment}}}}}\nload"
            ),
        )
    };
    let action = FlowRequest {
        test: "a".into(),
        heading: Heading::Down,
        congestion: vec!["cubic".into()],
        dscp: 46,
        segment: Some(200),
    };
    assert_eq!(flow(46, "200"), [Action::Flow(action)]);
    for (dscp, segment) in [(64, "200"), (300, "200"), (0, "87"), (0, "70000"), (0, "-1")] {
        assert_eq!(refused(&flow(dscp, segment)[0]), Reason::Malformed, "{dscp} {segment}");
    }
}

#[test]
fn another_version_is_told_so() {
    let wishes = wishes(None, &HELLO.replace(":2", ":3"));
    assert_eq!(refused(&wishes[0]), Reason::Version);
}

#[test]
fn garbage_is_refused_once() {
    for garbage in ["\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "{}\n", "\"echo\"\n", "\u{0}\n"] {
        let wishes = wishes(None, garbage);
        assert_eq!((wishes.len(), refused(&wishes[0])), (1, Reason::Malformed), "{garbage:?}");
    }
    let control = wishes(None, "{\"\\u001b[31m\":1}\n");
    assert_eq!(refused(&control[0]), Reason::Malformed);
}

#[test]
fn a_line_has_an_end() {
    let long = wishes(None, &"x".repeat(REQUEST_BYTES));
    assert_eq!((long.len(), refused(&long[0])), (1, Reason::Malformed));
    let short = wishes(None, &"x".repeat(REQUEST_BYTES - 1));
    assert_eq!(short, []);
}
