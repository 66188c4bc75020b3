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
                of your routers, and let it set only the six bits of the code point. If there is \
                no such rule, tell the provider. Until then, queues drop packets that they could \
                mark.";
    faults.push(found.cured(text, "nft list ruleset\niptables -t mangle -S"));
}
