//! Hosts behind a node, the translation of their addresses, and firewall marks: what CAKE makes of
//! them.

use results::Document;

mod support;
use support::{flow, run};

/// A laptop with one flow and a box with eight, behind one home, each with a server of its own:
/// there, and back.
fn household(link: &str, queue: &str) -> Document {
    run(&format!(
        r#"
        duration = "30s"
        warmup = "10s"
        [[link]]
        name = "access"
        from = "home"
        to = "isp"
        rate = "20mbit"
        delay = "10ms"
        queue = "{queue}"
        {link}
        [[flow]]
        name = "up"
        from = "home"
        host = "laptop"
        to = "isp"
        to_host = "one"
        traffic = "bulk"
        [[flow]]
        name = "ups"
        from = "home"
        host = "box"
        to = "isp"
        to_host = "other"
        traffic = "bulk"
        count = 8
        [[flow]]
        name = "down"
        from = "isp"
        host = "one"
        to = "home"
        to_host = "laptop"
        traffic = "bulk"
        [[flow]]
        name = "downs"
        from = "isp"
        host = "other"
        to = "home"
        to_host = "box"
        traffic = "bulk"
        count = 8
        "#
    ))
}

/// The goodput of the laptop's flows, up and down, in Mbit/s.
fn laptop(link: &str, queue: &str) -> [f64; 2] {
    let document = household(link, queue);
    ["up", "down"].map(|name| flow(&document, name).goodput_mbit.unwrap())
}

/// The hosts share a direction equally if the queue can tell them apart. If it cannot, the laptop
/// has one of nine flows.
#[test]
fn nat_hides_hosts_and_the_keyword_shows_them() {
    for isolation in ["triple-isolate", "dual-srchost", "dual-dsthost"] {
        let queue = |more: &str| format!("cake bandwidth 18mbit {isolation} {more}");
        let visible = laptop("", &queue("nonat"));
        let hidden = laptop("nat = \"home\"", &queue("nonat"));
        let known = laptop("nat = \"home\"", &queue("nat"));
        for (way, of_servers) in ["dual-dsthost", "dual-srchost"].into_iter().enumerate() {
            let told = format!("{isolation}, way {way}: {visible:?} {hidden:?} {known:?}");
            assert!(known[way] > 6.0 && visible[way] > 6.0, "{told}");
            // Nobody hides the servers.
            assert_eq!(hidden[way] > 6.0, isolation == of_servers, "{told}");
            assert!(hidden[way] < 3.0 || isolation == of_servers, "{told}");
        }
    }
}

/// Where the keyword is right, it does as if nothing were translated, to the packet.
#[test]
fn a_known_translation_is_as_none() {
    let queue = "cake bandwidth 18mbit triple-isolate nat";
    let [translated, direct] = ["nat = \"home\"", ""].map(|link| household(link, queue));
    let flows = |document: &Document| serde_json::to_string(&document.flows).unwrap();
    assert_eq!(flows(&translated), flows(&direct));
}

/// Two equal floods: the mark of one names the voice tin, the mark of the other the bulk tin. The
/// voice tin has priority up to a quarter of the rate, the bulk tin to a sixteenth.
#[test]
fn a_mark_chooses_the_tin() {
    let floods = |queue: &str| {
        let document = run(&format!(
            r#"
            duration = "10s"
            warmup = "2s"
            link = [{{ name = "l", from = "a", to = "b", rate = "10mbit", queue = "{queue}" }}]
            [[flow]]
            name = "voice"
            from = "a"
            to = "b"
            traffic = "cbr"
            rate = "8mbit"
            packet = 972
            mark = 0x30
            [[flow]]
            name = "bulk"
            from = "a"
            to = "b"
            traffic = "cbr"
            rate = "8mbit"
            packet = 972
            mark = 0x10
            "#
        ));
        ["voice", "bulk"].map(|name| flow(&document, name).goodput_mbit.unwrap())
    };
    let [voice, bulk] = floods("cake bandwidth 8mbit fwmark 0xf0");
    assert!(voice > 3.0 * bulk, "{voice} {bulk}");
    // Without the mask, or with bits that name no tin, both are best effort.
    for queue in ["cake bandwidth 8mbit", "cake bandwidth 8mbit fwmark 0x7"] {
        let [voice, bulk] = floods(queue);
        assert!((voice - bulk).abs() < 0.2, "{queue}: {voice} {bulk}");
    }
}
