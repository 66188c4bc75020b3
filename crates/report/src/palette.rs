//! The colours of plots, on a light and on a dark ground.
//!
//! The curves' colours are those of Okabe and Ito ("Color Universal Design", 2008), which people
//! with any kind of colour vision tell apart, in an order in which neighbours differ most; each is
//! darkened or lightened until it stands out from its ground.

/// Colours that go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Palette {
    /// Behind everything.
    pub ground: &'static str,
    /// Behind a button at which somebody points.
    pub quiet: &'static str,
    /// Titles and names.
    pub text: &'static str,
    /// Explanations and the numbers along an axis.
    pub muted: &'static str,
    /// The lines at which the numbers stand.
    pub axis: &'static str,
    /// Lines across the plot that the eye may follow or ignore.
    pub grid: &'static str,
    /// The first curve's, the second's, ...; then from the first again.
    pub curves: [&'static str; 8],
}

/// On paper, and on most screens.
pub(crate) const LIGHT: Palette = Palette {
    ground: "#ffffff",
    quiet: "#f6f8fa",
    text: "#1f2328",
    muted: "#59636e",
    axis: "#818b98",
    grid: "#e4e8ec",
    // Blue, vermilion, bluish green, reddish purple, ink for black, sky blue, orange, umber for
    // yellow, which no shade makes readable on white.
    curves: [
        "#0064b0", "#c94a06", "#009f73", "#c45fa3", "#25304a", "#3a97d8", "#bd8600", "#6b5226",
    ],
};

/// On a dark screen.
pub(crate) const DARK: Palette = Palette {
    ground: "#0d1117",
    quiet: "#151b23",
    text: "#e6edf3",
    muted: "#9aa4af",
    axis: "#69737e",
    grid: "#262d36",
    curves: [
        "#3f8fe6", "#f4631c", "#22c498", "#e58fc8", "#dfe6ee", "#93d3fb", "#ffcb52", "#948f5e",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    /// One channel of a colour, 0 to 255.
    fn channel(colour: &str, index: usize) -> f64 {
        f64::from(u8::from_str_radix(&colour[1 + 2 * index..3 + 2 * index], 16).unwrap())
    }

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
        // WCAG 2.2: 4.5 for text, 3 for what else must be seen.
        for palette in [LIGHT, DARK] {
            assert!(contrast(palette.text, palette.ground) > 12.0);
            assert!(contrast(palette.muted, palette.ground) > 4.5);
            assert!(contrast(palette.axis, palette.ground) > 3.0);
            for curve in palette.curves {
                let contrast = contrast(curve, palette.ground);
                assert!(contrast > 3.0, "{curve}: {contrast}");
            }
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
