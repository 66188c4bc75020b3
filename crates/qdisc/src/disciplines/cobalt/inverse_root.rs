//! 1/sqrt(count) as a fraction of 2^32, without a root and without a division.

/// The first values, exact but for the last bit; the value for 1 is the largest fraction below 1
/// (`inv_sqrt_cache`).
const CACHE: [u32; 16] = [
    u32::MAX,
    u32::MAX,
    3_037_000_500,
    2_479_700_525,
    2_147_483_647,
    1_920_767_767,
    1_753_413_056,
    1_623_345_051,
    1_518_500_250,
    1_431_655_765,
    1_358_187_914,
    1_294_981_364,
    1_239_850_263,
    1_191_209_601,
    1_147_878_294,
    1_108_955_788,
];

/// 1/sqrt(`count`) as a fraction of 2^32 (`cobalt_invsqrt`): from the cache while `count` is small;
/// then one step of Newton's method, x' = x (3 - count x^2) / 2, from `neighbour`, the value of the
/// count before or after it.
pub(super) fn for_count(count: u32, neighbour: u32) -> u32 {
    if let Some(cached) = CACHE.get(count as usize) {
        return *cached;
    }
    let x = u64::from(neighbour);
    let x_squared = (x * x) >> 32;
    let rest = (3_u64 << 32).wrapping_sub(u64::from(count).wrapping_mul(x_squared)) >> 2;
    (rest.wrapping_mul(x) >> (32 - 2 + 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two entries by their values in Linux's cache, and all of them compared with the exact root.
    #[test]
    fn the_cache_is_exact_to_a_bit() {
        assert_eq!((CACHE[2], CACHE[15]), (3_037_000_500, 1_108_955_788));
        for (count, cached) in (1..).zip(&CACHE[1..]) {
            let exact = (1_u64 << 32) as f64 / libm::sqrt(f64::from(count));
            assert!((f64::from(*cached) - exact).abs() <= 1.0, "{count}");
        }
    }

    #[test]
    fn newton_stays_near_up_and_down() {
        let mut root = for_count(15, 0);
        let up = (16..=20_000).chain((16..20_000).rev());
        for count in up {
            root = for_count(count, root);
            let exact = (1_u64 << 32) as f64 / libm::sqrt(f64::from(count));
            let error = (f64::from(root) - exact).abs() / exact;
            // The first step is the widest, by e = 3.3 %, and leaves 1.5 e^2.
            assert!(error < 1.64e-3, "{count}: {error}");
        }
        assert_eq!(for_count(15, root), CACHE[15]);
    }
}
