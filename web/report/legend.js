// The names of the curves: buttons that hide and show them.

// A sign for the way in which most of an entry is drawn: a line, dots, or an area.
function swatch(entry) {
    const marks = new Set(entry.curves.map((curve) => curve.mark));
    const isLine = ["line", "steps", "strokes", "line_points"].some((mark) => marks.has(mark));
    const isDots = marks.has("points") || marks.has("ellipse");
    const kind = isLine ? "line" : isDots ? "dots" : marks.has("box") ? "crate" : "area";
    const made = element("span", `swatch ${kind} ${entry.dashed ? "dashed" : ""}`);
    made.style.setProperty("--colour", `var(--curve-${entry.ink})`);
    return made;
}

// A click hides or shows one; a double click shows only that one, and the next one all again.
function legend(entries, changed) {
    const buttons = entries.map((entry) => {
        const made = button("", () => {
            entry.shown = !entry.shown;
            update();
        });
        made.append(swatch(entry), element("span", "name", entry.name));
        made.addEventListener("dblclick", () => {
            isolate(entries, entry);
            update();
        });
        return made;
    });
    function update() {
        entries.forEach((entry, index) => buttons[index].setAttribute("aria-pressed", entry.shown));
        changed();
    }
    entries.forEach((entry, index) => buttons[index].setAttribute("aria-pressed", entry.shown));
    // A map has a bar of colours instead.
    const named = buttons.filter((_, index) => entries[index].curves.some((curve) => !curve.colours));
    const made = element("div", "legend", ...named);
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", "Curves, to show or to hide");
    return made;
}

function isolate(entries, entry) {
    const alone = entries.every((other) => other.shown === (other === entry));
    for (const other of entries) other.shown = alone || other === entry;
}
