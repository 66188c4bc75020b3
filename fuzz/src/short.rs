//! A fuzzer without feedback: seeds, mutated by a reproducible random source.

use units::Rng;

/// The longest input in bytes. Longer ones are cut, because short inputs show the mistakes and are
/// fast.
const LONGEST: usize = 4096;

/// Runs `target` on each seed as it is, then on `rounds` mutations. A panic of the target is not
/// caught, but the input that led to it is printed.
pub fn run(target: fn(&[u8]), seeds: &[Vec<u8>], words: &[&str], rounds: u64) {
    let mut rng = Rng::new(0).fork("short");
    for seed in seeds {
        run_reporting(target, seed);
    }
    for _ in 0..rounds {
        let mut input = pick(seeds, &mut rng).cloned().unwrap_or_default();
        for _ in 0..=rng.below(4) {
            mutate(&mut input, seeds, words, &mut rng);
        }
        input.truncate(LONGEST);
        run_reporting(target, &input);
    }
}

/// Runs the target, and prints the input if it panics.
fn run_reporting(target: fn(&[u8]), input: &[u8]) {
    struct Report<'a>(&'a [u8]);
    impl Drop for Report<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("the input was b\"{}\"", self.0.escape_ascii());
            }
        }
    }
    let _report = Report(input);
    target(input);
}

/// Makes one small change of a kind that parsers and state machines often mishandle.
fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str], rng: &mut Rng) {
    let here = rng.below(input.len() as u64 + 1) as usize;
    let there = (here + rng.below(32) as usize).min(input.len());
    match rng.below(7) {
        0 => {
            input.splice(here..there, []);
        }
        1 => {
            let repeated = input[here..there].to_vec();
            input.splice(here..here, repeated);
        }
        2 => {
            if let Some(byte) = input.get_mut(here) {
                *byte ^= 1 << rng.below(8);
            }
        }
        3 => {
            if let Some(byte) = input.get_mut(here) {
                *byte = rng.next_u64() as u8;
            }
        }
        4 => {
            let word = pick(words, rng).copied().unwrap_or_default();
            input.splice(here..there, word.bytes());
        }
        5 => {
            let word = pick(words, rng).copied().unwrap_or_default();
            input.splice(here..here, word.bytes());
        }
        _ => {
            let other = pick(seeds, rng).map_or(&[][..], Vec::as_slice);
            let from = rng.below(other.len() as u64 + 1) as usize;
            let to = (from + rng.below(200) as usize).min(other.len());
            input.splice(here..there, other[from..to].iter().copied());
        }
    }
}

fn pick<'a, T>(from: &'a [T], rng: &mut Rng) -> Option<&'a T> {
    from.get(rng.below(from.len() as u64) as usize)
}
