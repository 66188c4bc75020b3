//! The queues under test.

use qdisc::QdiscSpec;

/// The queue that others are compared with. RFC 7928 section 4.3 asks for tail drop beside every
/// scheme.
const TAIL_DROP: &str = "pfifo";
/// The queues under test if none is named.
const USUAL: [&str; 3] = ["codel", "fq_codel", "pie"];
/// The longest packet of the scenarios, in bytes.
const PACKET: u32 = 1500;

/// A queue that is compared with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The queue as the user typed it.
    pub(super) typed: String,
}

/// Tail drop, and then the queues that were asked for.
pub(super) fn candidates(asked: &[String]) -> Vec<Candidate> {
    let asked = asked.iter().cloned();
    let mut typed: Vec<String> = std::iter::once(TAIL_DROP.to_owned()).chain(asked).collect();
    if typed.len() == 1 {
        typed.extend(USUAL.map(String::from));
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for typed in typed {
        let candidate = Candidate { typed };
        if !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
    candidates
}

impl Candidate {
    /// True if the user asked for marks. Senders that understand marks are then part of the test.
    pub(super) fn marks(&self) -> bool {
        self.words().any(|word| word == "ecn")
    }

    /// The queue with a buffer of this many packets, unless the user gave it one. RFC 7928 section
    /// 3.2 asks for the same buffer for all.
    pub(super) fn with_buffer(&self, packets: u32) -> String {
        if self.words().any(|word| word == "limit") {
            return self.typed.clone();
        }
        // Some queues have limits in packets, some in bytes.
        let limits = [format!("{packets}p"), format!("{}b", packets * PACKET)];
        let limited = limits.iter().map(|limit| format!("{} limit {limit}", self.typed));
        limited.into_iter().find(|queue| is_queue(queue)).unwrap_or_else(|| self.typed.clone())
    }

    /// The queue with marks, if it can mark.
    pub(super) fn marking(&self) -> Self {
        let typed = format!("{} ecn", self.typed);
        match !self.marks() && is_queue(&typed) {
            true => Self { typed },
            false => self.clone(),
        }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.typed.split_whitespace()
    }
}

fn is_queue(text: &str) -> bool {
    text.parse::<QdiscSpec>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(typed: &str) -> Candidate {
        Candidate { typed: typed.into() }
    }

    #[test]
    fn tail_drop_is_always_beside_it() {
        let typed = |asked: &[&str]| {
            let asked: Vec<String> = asked.iter().map(|typed| (*typed).to_owned()).collect();
            candidates(&asked).into_iter().map(|queue| queue.typed).collect::<Vec<_>>()
        };
        assert_eq!(typed(&[]), ["pfifo", "codel", "fq_codel", "pie"]);
        assert_eq!(typed(&["blue"]), ["pfifo", "blue"]);
        assert_eq!(typed(&["pfifo", "codel", "codel"]), ["pfifo", "codel"]);
    }

    #[test]
    fn all_have_the_same_buffer_whatever_they_count() {
        for (typed, limited) in [
            ("pfifo", "pfifo limit 84p"),
            ("fq_codel noecn", "fq_codel noecn limit 84p"),
            ("bfifo", "bfifo limit 126000b"),
            ("red auto", "red auto limit 126000b"),
            ("codel limit 20", "codel limit 20"),
        ] {
            assert_eq!(candidate(typed).with_buffer(84), limited);
            assert!(is_queue(limited), "{limited}");
        }
    }

    #[test]
    fn what_can_mark_does_if_it_is_asked_to() {
        for (typed, marking) in
            [("codel", "codel ecn"), ("codel ecn", "codel ecn"), ("pfifo", "pfifo")]
        {
            assert_eq!(candidate(typed).marking().typed, marking);
        }
        assert!(candidate("codel ecn").marks() && !candidate("fq_codel").marks());
    }
}
