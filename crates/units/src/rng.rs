//! Reproducible randomness: one seed for each run, one independent stream for each part of it.

use crate::Prob;

/// A random source that gives the same numbers on every machine and in every version.
///
/// xoshiro256++ seeded by SplitMix64 (Blackman and Vigna, "Scrambled linear pseudorandom number
/// generators", 2021).
#[derive(Clone, Debug)]
pub struct Rng {
    /// The seed of this stream, from which forks are derived. They are not derived from the state,
    /// so that drawing numbers never changes the numbers of a fork.
    seed: u64,
    state: [u64; 4],
}

impl Rng {
    /// The stream that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        let mut mixer = seed;
        Self { seed, state: core::array::from_fn(|_| split_mix(&mut mixer)) }
    }

    /// An independent stream for the part called `label`. Adding a part, or drawing more numbers
    /// in one, changes no other part's numbers.
    #[must_use]
    pub fn fork(&self, label: &str) -> Self {
        // FNV-1a over the label, then mixed with the seed of this stream.
        let hash = label.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut mixer = self.seed ^ hash;
        Self::new(split_mix(&mut mixer) ^ hash.rotate_left(32))
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `0.0..1.0`, with 53 random bits.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number in `0..bound`, or 0 if `bound` is 0 (Lemire's multiply-shift; its bias, below
    /// `bound`/2^64, is left in).
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: Prob) -> bool {
        self.next_f64() < p.get()
    }
}

/// Mixes bits for a hash: each input bit changes about half of the upper 32 bits.
///
/// The finaliser of SplitMix64 (Stafford's variant 13) without its last step, `bits ^ bits >> 31`,
/// which a caller adds if it needs the lower half too.
#[inline]
pub const fn mix(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = mix(*state);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of the authors' reference code for these states.
    #[test]
    fn reference_values() {
        let mut seed = 1_234_567;
        assert_eq!(split_mix(&mut seed), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut seed), 3_203_168_211_198_807_973);
        let mut rng = Rng { seed: 0, state: [1, 2, 3, 4] };
        assert_eq!(rng.next_u64(), 41_943_041);
        assert_eq!(rng.next_u64(), 58_720_359);
        assert_eq!(rng.next_u64(), 3_588_806_011_781_223);
    }

    #[test]
    fn forks_do_not_depend_on_draws() {
        let mut rng = Rng::new(7);
        let before = rng.fork("loss").next_u64();
        rng.next_u64();
        assert_eq!(rng.fork("loss").next_u64(), before);
        assert_ne!(rng.fork("red").next_u64(), before);
    }

    #[test]
    fn draws_are_even() {
        let mut rng = Rng::new(1);
        let mean = (0..100_000).map(|_| rng.next_f64()).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
        let hits = (0..100_000).filter(|_| rng.chance(Prob::clamped(0.1))).count();
        assert!((9_600..10_400).contains(&hits), "{hits}");
        assert!((0..1000).all(|_| rng.below(6) < 6) && rng.below(0) == 0);
        assert!(!rng.chance(Prob::ZERO) && rng.chance(Prob::ONE));
    }
}
