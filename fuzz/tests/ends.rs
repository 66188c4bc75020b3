//! The runs of random scenarios come to their end.
//!
//! `SCENARIOS=20000 SEED=1 cargo test -p fuzz --test ends -- --nocapture` runs more of them.

use units::Rng;

/// The bytes of choices that three flows take.
const CHOICES: usize = 96;

#[expect(clippy::disallowed_methods, reason = "how many are run is for whoever runs them to say")]
fn asked(name: &str, usually: u64) -> u64 {
    std::env::var(name).map_or(usually, |text| text.parse().expect("a number"))
}

#[test]
fn random_scenarios_come_to_their_end() {
    let (count, seed) = (asked("SCENARIOS", 100), asked("SEED", 1));
    let mut rng = Rng::new(seed).fork("ends");
    for number in 1..=count {
        let bytes: [u8; CHOICES] = std::array::from_fn(|_| rng.next_u64() as u8);
        fuzz::ends(&bytes);
        if number % 1_000 == 0 {
            println!("{number} of seed {seed} came to their end");
        }
    }
}
