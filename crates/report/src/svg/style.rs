//! Fonts, strokes and colours.

use crate::palette::{DARK, LIGHT, Palette};

/// What does not depend on the ground.
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

/// The whole style sheet: light, and dark on a dark screen.
pub(super) fn sheet() -> String {
    let (light, dark) = (colours(&LIGHT), colours(&DARK));
    format!("{SHAPES}{light}@media screen and (prefers-color-scheme:dark){{\n{dark}}}\n")
}

/// The rules that give everything its colour.
fn colours(palette: &Palette) -> String {
    let Palette { ground, text, muted, axis, grid, curves, quiet: _ } = palette;
    let mut rules = format!(
        ".unbloat .ground{{fill:{ground}}}\n\
         .unbloat .halo,.unbloat .core{{stroke:{ground}}}\n\
         .unbloat .title,.unbloat .name{{fill:{text}}}\n\
         .unbloat .note,.unbloat .tick{{fill:{muted}}}\n\
         .unbloat .axis{{stroke:{axis}}}\n\
         .unbloat .grid{{stroke:{grid}}}\n",
    );
    for (index, colour) in curves.iter().enumerate() {
        rules += &format!(".unbloat .k{index}{{color:{colour}}}\n");
    }
    rules
}
