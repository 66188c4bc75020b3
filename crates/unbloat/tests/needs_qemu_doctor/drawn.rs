//! Set-ups drawn at random: what `unbloat fix` writes for a line, and the same with one mistake.

use observation::Heading;
use remedy::LinkKind;
use results::WireCells;
use units::{Rate, Rng};

use crate::set_up::SetUp;

/// The number of set-ups of each kind, or another one from the environment: ten have each mistake.
#[expect(clippy::disallowed_methods, reason = "chooses what is tested, never what is right")]
fn each() -> usize {
    std::env::var("CASES").map_or(3, |cases| cases.parse().expect("CASES is a number"))
}

/// A line that was drawn, with the rates in kbit/s.
struct Line {
    up: u64,
    down: u64,
    link: &'static str,
}

impl Line {
    fn drawn(rng: &mut Rng) -> Self {
        let link = &LinkKind::ALL[rng.below(LinkKind::ALL.len() as u64) as usize];
        let kilobits = |most: Option<Rate>| most.map_or(900_000, |rate| rate.bits_per_sec() / 1000);
        let most = |heading| kilobits(link.fastest(heading));
        let up = 500 + rng.below(most(Heading::Up).min(90_000) - 500);
        let together = kilobits(link.fastest_together()) - up;
        let down = (up * (1 + rng.below(15))).min(most(Heading::Down)).min(together);
        Self { up, down, link: link.name }
    }

    /// What both `fix` and `doctor` are told of it.
    fn options(&self) -> String {
        let Self { up, down, link } = self;
        format!("--up {up}kbit --down {down}kbit --link {link}")
    }

    /// The mistakes that can be made with its shapers, and what is then found.
    fn mistakes(&self, rng: &mut Rng) -> Vec<(String, &'static [&'static str])> {
        let Self { up, down, link } = self;
        // Where cells are not counted, the same rate is more than the line carries.
        let without_cells: &[&str] = match LinkKind::named(link).map(|kind| kind.cells) {
            Some(WireCells::Atm) => &["overhead-missing", "rate-above-line"],
            _ => &["overhead-missing"],
        };
        let change =
            |device: &str, words: String| format!("tc qdisc change dev {device} root cake {words}");
        vec![
            (change("wan", format!("rtt {}", 5 + rng.below(300))), &["rtt-mistyped"]),
            (change("ifb-wan", format!("bandwidth {down}kbps")), &["rate-mistyped"]),
            (change("wan", format!("bandwidth {}kbit", up * 3 / 2)), &["rate-above-line"]),
            (change("wan", "ingress".into()), &["kept-keywords"]),
            (change("ifb-wan", "ack-filter dual-srchost".into()), &["kept-keywords"]),
            (change("wan", "raw".into()), without_cells),
            (change("wan", "no-split-gso".into()), &["lumps"]),
            ("tc qdisc del dev wan root".into(), &["one-direction"]),
            ("tc qdisc del dev wan ingress".into(), &["redirect-missing"]),
            ("ip link set ifb-wan down".into(), &["ifb-missing"]),
        ]
    }
}

/// The seed, or another one from the environment.
#[expect(clippy::disallowed_methods, reason = "chooses what is tested, never what is right")]
fn seed() -> u64 {
    std::env::var("SEED").map_or(16, |seed| seed.parse().expect("SEED is a number"))
}

/// As many set-ups without a mistake as with one, the mistakes by turns.
pub(crate) fn drawn() -> Vec<SetUp> {
    let mut rng = Rng::new(seed());
    let mut set_ups = Vec::new();
    for number in 0..each() {
        let line = Line::drawn(&mut rng);
        let extra = ["", " --no-nat", " --tins diffserv4", " --rtt 30ms"][number % 4];
        let options = line.options().leak();
        let script = format!("plan {options}{extra}");
        let name = format!("drawn-{number}-healthy").leak();
        set_ups.push(SetUp::healthy(name, script.leak(), options));

        let line = Line::drawn(&mut rng);
        let mistakes = line.mistakes(&mut rng);
        let (mistake, wrong) = &mistakes[number % mistakes.len()];
        let options = line.options().leak();
        let script = format!("plan {options}\n{mistake}");
        let name = format!("drawn-{number}-broken").leak();
        set_ups.push(SetUp::broken(name, script.leak(), options, wrong));
    }
    set_ups
}
