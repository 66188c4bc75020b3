//! Plots as PNG, for programs that do not show SVG. The PNG is always light.

use std::fmt;
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Options, Tree};

/// Pixels a length unit of the SVG: crisp on a fine screen and in print.
const SCALE: f32 = 2.0;

/// Largest number of pixels: 256 MiB of memory.
const MOST_PIXELS: f32 = 67_108_864.0;

/// The reason why there is no PNG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PngError {
    /// The plot's SVG could not be read, for this reason.
    Svg(String),
    /// The plot is too large: it has this width and this height in pixels.
    Size(u64, u64),
    /// The pixels could not be encoded, for this reason.
    Encoding(String),
}

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PngError::Svg(why) => write!(f, "cannot make a PNG of the plot: {why}"),
            PngError::Size(width, height) => write!(
                f,
                "cannot make a PNG of {width} by {height} pixels: choose fewer figures, or SVG",
            ),
            PngError::Encoding(why) => write!(f, "cannot encode the plot as PNG: {why}"),
        }
    }
}

impl std::error::Error for PngError {}

/// A plot that [`svg`](crate::svg()) made as PNG, with two pixels for each length unit.
///
/// # Errors
/// If the text is no SVG, if the picture would be empty or larger than 67 million pixels, or if it
/// cannot be encoded.
pub fn png(svg: &str) -> Result<Vec<u8>, PngError> {
    let tree = Tree::from_str(svg, &options()).map_err(|error| PngError::Svg(error.to_string()))?;
    let (width, height) = (tree.size().width() * SCALE, tree.size().height() * SCALE);
    let too_large = || PngError::Size(width.ceil() as u64, height.ceil() as u64);
    if width * height > MOST_PIXELS {
        return Err(too_large());
    }
    let mut pixmap =
        Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(too_large)?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
}

/// Options with our own font, because small machines have none, and because all machines shall draw
/// the same.
fn options() -> Options<'static> {
    const FAMILY: &str = "DejaVu Sans";
    let mut fonts = Database::new();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_source(Source::Binary(Arc::new(font)));
    }
    fonts.set_sans_serif_family(FAMILY);
    Options { font_family: FAMILY.to_owned(), fontdb: Arc::new(fonts), ..Options::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_two_pixels_a_length_unit() {
        let png = png(&crate::svg(&[])).unwrap_err();
        assert!(matches!(png, PngError::Svg(_) | PngError::Size(..)), "{png}");
        let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='12' height='5'/>";
        let png = super::png(svg).unwrap();
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        // PNG, section 11.2.1: width and height follow the name of the first chunk.
        assert_eq!(png[16..24], [0, 0, 0, 24, 0, 0, 0, 10]);
    }

    #[test]
    fn text_is_drawn_without_any_font_of_the_machine() {
        let drawn = |text: &str| {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='30'>\
                 <text y='20' font-family='system-ui,sans-serif'>{text}</text></svg>",
            );
            png(&svg).unwrap()
        };
        assert_ne!(drawn("Delay"), drawn(""));
        assert_ne!(drawn("Delay"), drawn("Delax"));
    }

    #[test]
    fn says_why_there_is_none() {
        assert!(matches!(png("no picture"), Err(PngError::Svg(_))));
        let large = "<svg xmlns='http://www.w3.org/2000/svg' width='50000' height='50000'/>";
        assert_eq!(
            png(large).unwrap_err().to_string(),
            "cannot make a PNG of 100000 by 100000 pixels: choose fewer figures, or SVG",
        );
    }
}
