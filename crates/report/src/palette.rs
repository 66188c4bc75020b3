//! The colours of plots, on a light and on a dark background.
//!
//! The curves' colours are those of Okabe and Ito ("Color Universal Design", 2008), which people
//! with any kind of colour vision can distinguish, in an order in which neighbours differ most.
//! Each is darkened or lightened until it contrasts with the background.

/// Colours that go together, for a light or a dark background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Palette {
    /// Background of the page.
    pub ground: &'static str,
    /// Background of a button under the pointer.
    pub quiet: &'static str,
    /// Titles and names.
    pub text: &'static str,
    /// Explanations and the numbers along an axis.
    pub muted: &'static str,
    /// The lines of the axes.
    pub axis: &'static str,
    /// Faint lines across the plot.
    pub grid: &'static str,
    /// Colour of good figures, such as a grade A.
    pub good: &'static str,
    /// Colour of figures that are neither good nor bad.
    pub middling: &'static str,
    /// Colour of bad figures, such as a grade F.
    pub bad: &'static str,
    /// The colours of the first curve, the second, ...; after the last they repeat.
    pub curves: [&'static str; 8],
}

/// The palette for paper, and for most screens.
pub(crate) const LIGHT: Palette = Palette {
    ground: "#ffffff",
    quiet: "#f6f8fa",
    text: "#1f2328",
    muted: "#59636e",
    axis: "#818b98",
    grid: "#e4e8ec",
    good: "#1a7f37",
    middling: "#8a5a00",
    bad: "#c0261d",
    // Blue, vermilion, bluish green, reddish purple, ink in place of black, sky blue, orange, umber
    // in place of yellow, of which no shade is readable on white.
    curves: [
        "#0064b0", "#c94a06", "#009f73", "#c45fa3", "#25304a", "#3a97d8", "#bd8600", "#6b5226",
    ],
};

/// The palette for a dark screen.
pub(crate) const DARK: Palette = Palette {
    ground: "#0d1117",
    quiet: "#151b23",
    text: "#e6edf3",
    muted: "#9aa4af",
    axis: "#69737e",
    grid: "#262d36",
    good: "#3fb950",
    middling: "#d8a22a",
    bad: "#ff6a5e",
    curves: [
        "#3f8fe6", "#f4631c", "#22c498", "#e58fc8", "#dfe6ee", "#93d3fb", "#ffcb52", "#948f5e",
    ],
};

/// The colours of a map, from the least value to the largest, at even distances: from a dark blue
/// to a light yellow, each lighter than the one before by the same step (OKLCH, from 0.30 to 0.93),
/// so that they keep their order for any kind of colour vision and on grey paper.
pub(crate) const RAMP: [&str; 9] = [
    "#2e057d", "#02369a", "#025e89", "#057b90", "#0a9895", "#02b78e", "#61d170", "#b9e054",
    "#ffea6d",
];

/// The colour of a map at a part (0 to 1) of the way through [`RAMP`].
pub(crate) fn ramp(part: f64) -> String {
    let place = part.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let below = (place as usize).min(RAMP.len() - 2);
    let mixed = (0..3).map(|index| {
        let [one, other] = [RAMP[below], RAMP[below + 1]].map(|colour| channel(colour, index));
        (one + (other - one) * (place - below as f64)).round() as u8
    });
    mixed.fold(String::from("#"), |colour, channel| format!("{colour}{channel:02x}"))
}

/// True if white text is easier to read than black text on this colour of a map.
pub(crate) fn is_dark(part: f64) -> bool {
    part < 0.42
}

/// A channel of a colour, 0 to 255.
fn channel(colour: &str, index: usize) -> f64 {
    let digits = colour.get(1 + 2 * index..3 + 2 * index);
    f64::from(digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG 2.2, relative luminance.
    fn luminance(colour: &str) -> f64 {
        let linear = |index| {
            let value = channel(colour, index) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
        };
        0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2)
    }

    /// WCAG 2.2, contrast ratio.
    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_and_curves_are_readable_on_their_ground() {
        // WCAG 2.2: 4.5 for text, 3 for other things that must be seen.
        for palette in [LIGHT, DARK] {
            assert!(contrast(palette.text, palette.ground) > 12.0);
            assert!(contrast(palette.muted, palette.ground) > 4.5);
            assert!(contrast(palette.axis, palette.ground) > 3.0);
            for grade in [palette.good, palette.middling, palette.bad] {
                assert!(contrast(grade, palette.ground) > 4.5, "{grade}");
            }
            for curve in palette.curves {
                let contrast = contrast(curve, palette.ground);
                assert!(contrast > 3.0, "{curve}: {contrast}");
            }
        }
    }

    /// CIE 1976: lightness grows as the cube root of luminance.
    #[test]
    fn a_map_grows_lighter_in_even_steps() {
        let lightness = |part: f64| libm::cbrt(luminance(&ramp(part)));
        let steps: Vec<f64> = (0..32)
            .map(|step| f64::from(step) / 32.0)
            .map(|part| lightness(part + 1.0 / 32.0) - lightness(part))
            .collect();
        let mean = (lightness(1.0) - lightness(0.0)) / 32.0;
        for step in steps {
            assert!((0.3 * mean..2.2 * mean).contains(&step), "{step} {mean}");
        }
        assert_eq!((ramp(0.0), ramp(1.0)), (RAMP[0].to_owned(), RAMP[8].to_owned()));
    }

    #[test]
    fn text_on_a_map_is_readable() {
        for part in (0..=100).map(|part| f64::from(part) / 100.0) {
            let ink = if is_dark(part) { "#ffffff" } else { "#000000" };
            assert!(contrast(ink, &ramp(part)) > 4.5, "{part}: {}", contrast(ink, &ramp(part)));
        }
    }

    #[test]
    fn no_two_curves_look_alike() {
        for palette in [LIGHT, DARK] {
            for (index, one) in palette.curves.iter().enumerate() {
                for other in &palette.curves[index + 1..] {
                    let distance: f64 = (0..3)
                        .map(|i| channel(one, i) - channel(other, i))
                        .map(|difference| difference * difference)
                        .sum();
                    assert!(distance.sqrt() > 45.0, "{one} {other}: {}", distance.sqrt());
                }
            }
        }
    }
}
