//! Fonts, strokes and colours.

use crate::figure::{Curve, Figure, Mark};
use crate::palette::{DARK, LIGHT, Palette};

/// The rules that do not depend on the background.
const SHAPES: &str = "\
.unbloat{max-width:100%;height:auto;\
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans','DejaVu Sans',\
Arial,sans-serif}
.unbloat .title{font-size:18px;font-weight:700}
.unbloat .note,.unbloat .name{font-size:13px}
.unbloat .tick{font-size:12px;font-variant-numeric:tabular-nums}
.unbloat .middle{text-anchor:middle}
.unbloat .end{text-anchor:end}
.unbloat path{fill:none;stroke-linejoin:round}
.unbloat .grid,.unbloat .axis{stroke-width:1}
.unbloat .minor{stroke-opacity:.5}
.unbloat .line{stroke:currentColor;stroke-width:2;stroke-linecap:round}
.unbloat .fine{stroke-width:1.25}
.unbloat .key{stroke-width:3}
.unbloat .dashed .line{stroke-dasharray:7 4;stroke-linecap:butt}
.unbloat .range{fill:currentColor;fill-opacity:.22}
.unbloat .range.key{fill-opacity:.5}
.unbloat .band{fill:currentColor;fill-opacity:.16}
.unbloat .dots,.unbloat .halo,.unbloat .core{stroke-linecap:round;stroke-width:8}
.unbloat .dots{stroke:currentColor}
.unbloat .halo{stroke-width:11}
.unbloat .core{stroke-width:4}
.unbloat .small{stroke-width:4.5}
.unbloat .tiny{stroke-width:3}
";

/// The rules that only boxes, ellipses, maps and aids need. They follow the colours, one of which
/// they replace.
const RARE_SHAPES: &str = "\
.unbloat .box{fill:currentColor;fill-opacity:.25;stroke:currentColor;stroke-width:1.25}
.unbloat .whisker{stroke:currentColor;stroke-width:1.25}
.unbloat .median{stroke:currentColor;stroke-width:2.75}
.unbloat .box.fine,.unbloat .whisker.fine{stroke-width:1}
.unbloat .median.fine{stroke-width:2}
.unbloat .dashed .box{stroke-dasharray:3 2}
.unbloat .faint .dots{stroke-opacity:.4}
.unbloat .span{fill-opacity:.09}
.unbloat .guide{stroke-width:1;stroke-dasharray:2 3}
.unbloat .on-dark{fill:#ffffff}
.unbloat .on-light{fill:#000000}
";

/// The whole style sheet of these figures: light, and dark on a dark screen.
pub(super) fn sheet(figures: &[Figure]) -> String {
    let (light, dark) = (colours(&LIGHT), colours(&DARK));
    let is_rare = |curve: &Curve| {
        curve.mark.is_aid() || matches!(curve.mark, Mark::Box | Mark::Cells | Mark::Ellipse)
    };
    let rare = figures.iter().flat_map(|figure| &figure.curves).any(is_rare);
    let more = if rare { RARE_SHAPES } else { "" };
    format!("{SHAPES}{light}@media screen and (prefers-color-scheme:dark){{\n{dark}}}\n{more}")
}

/// The rules that give everything its colour.
fn colours(palette: &Palette) -> String {
    let Palette { ground, text, muted, axis, grid, curves, .. } = palette;
    let mut rules = format!(
        ".unbloat .ground{{fill:{ground}}}\n\
         .unbloat .halo,.unbloat .core{{stroke:{ground}}}\n\
         .unbloat .title,.unbloat .name{{fill:{text}}}\n\
         .unbloat .note,.unbloat .tick,.unbloat .span{{fill:{muted}}}\n\
         .unbloat .axis,.unbloat .guide{{stroke:{axis}}}\n\
         .unbloat .grid{{stroke:{grid}}}\n",
    );
    for (index, colour) in curves.iter().enumerate() {
        rules += &format!(".unbloat .k{index}{{color:{colour}}}\n");
    }
    rules
}
