//! ECN's code points on the path, by a measurement.

use observation::{EcnPassage, Heading};
use results::{Fault, FaultName, Severity};

use crate::fault::{Told, fault};
use crate::scene::Scene;

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    let mut found = fault(FaultName::EcnBleached, Severity::Doubtful, "path");
    for heading in [Heading::Up, Heading::Down] {
        if scene.known.ecn.of(heading) == Some(EcnPassage::Bleached) {
            found = found.seen(heading.in_words(), "sent with ECT(0), arrived without ECN");
        }
    }
    if found.evidence.is_empty() {
        return;
    }
    let text = "Look for a rule that sets the whole byte of the class of service, here and on each \
                router of yours, and let it set the six bits of the code point alone. If there is \
                none, tell the provider. Meanwhile queues drop where they could mark.";
    faults.push(found.cured(text, "nft list ruleset\niptables -t mangle -S"));
}
