//! The writer of an SVG document: numbers, escaped text, elements.

use std::fmt::Write;

use crate::text::escape;

/// An SVG document that is being written.
#[derive(Debug, Default)]
pub(super) struct SvgWriter {
    text: String,
}

impl SvgWriter {
    /// Appends markup unchanged.
    pub(super) fn raw(&mut self, markup: &str) -> &mut Self {
        self.text.push_str(markup);
        self
    }

    /// Appends an untrusted text, escaped.
    pub(super) fn escaped(&mut self, name: &str) -> &mut Self {
        self.raw(&escape(name))
    }

    /// Appends a length in pixels, to the hundredth, so that the output is the same on every
    /// machine.
    pub(super) fn number(&mut self, value: f64) -> &mut Self {
        let hundredths = (value * 100.0).round() as i64;
        let (whole, rest) = (hundredths.abs() / 100, hundredths.abs() % 100);
        if hundredths < 0 {
            self.text.push('-');
        }
        // Writing to a string cannot fail.
        let _ = match (rest, rest % 10) {
            (0, _) => write!(self.text, "{whole}"),
            (_, 0) => write!(self.text, "{whole}.{}", rest / 10),
            _ => write!(self.text, "{whole}.{rest:02}"),
        };
        self
    }

    /// Appends ` name="value"`.
    pub(super) fn attribute(&mut self, name: &str, value: f64) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").number(value).raw("\"")
    }

    /// Appends a line of text of a class, whose base line is at (`x`, `y`).
    pub(super) fn text(&mut self, class: &str, x: f64, y: f64, content: &str) -> &mut Self {
        self.raw("<text class=\"").raw(class).raw("\"").attribute("x", x).attribute("y", y);
        self.raw(">").escaped(content).raw("</text>\n")
    }

    /// Appends a line of text that rises to the right by three in four.
    pub(super) fn aslant(&mut self, class: &str, x: f64, y: f64, content: &str) -> &mut Self {
        self.raw("<text class=\"").raw(class).raw("\"").attribute("x", x).attribute("y", y);
        self.raw(" transform=\"rotate(-36.9 ").point(x, y).raw(")\">");
        self.escaped(content).raw("</text>\n")
    }

    /// Appends a straight line of a class.
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) -> &mut Self {
        self.raw("<path class=\"").raw(class).raw("\" d=\"M").point(from.0, from.1);
        // Most lines are horizontal or vertical, which is shorter.
        match (from.0 == to.0, from.1 == to.1) {
            (_, true) => self.raw("H").number(to.0),
            (true, _) => self.raw("V").number(to.1),
            _ => self.raw("L").point(to.0, to.1),
        };
        self.raw("\"/>\n")
    }

    /// Appends a point of a path.
    pub(super) fn point(&mut self, x: f64, y: f64) -> &mut Self {
        self.number(x).raw(" ").number(y)
    }

    /// The text that was written.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_rounded_to_the_hundredth() {
        for (value, written) in [
            (0.0, "0"),
            (-0.001, "0"),
            (12.0, "12"),
            (12.5, "12.5"),
            (12.345_678, "12.35"),
            (-3.05, "-3.05"),
            (0.994_9, "0.99"),
            (0.999, "1"),
        ] {
            assert_eq!(SvgWriter::default().number(value).text, written);
        }
    }

    #[test]
    fn a_hostile_name_stays_text() {
        let mut svg = SvgWriter::default();
        svg.text("title", 1.0, 2.0, "</text>&");
        assert_eq!(svg.text, "<text class=\"title\" x=\"1\" y=\"2\">&lt;/text&gt;&amp;</text>\n");
    }

    #[test]
    fn level_and_upright_lines_are_written_as_such() {
        let mut svg = SvgWriter::default();
        svg.line("grid", (1.0, 2.0), (3.0, 2.0)).line("axis", (1.0, 2.0), (1.0, 4.0));
        svg.line("key", (1.0, 2.0), (3.0, 4.0));
        assert_eq!(
            svg.into_text(),
            "<path class=\"grid\" d=\"M1 2H3\"/>\n<path class=\"axis\" d=\"M1 2V4\"/>\n\
             <path class=\"key\" d=\"M1 2L3 4\"/>\n",
        );
    }
}
