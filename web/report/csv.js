// The data behind a plot, as a table that any program reads: one line a value. Curves of one name
// are numbered, from back to front.

function csv(figure) {
    const curves = figure.curves.filter((curve) => !isAid(curve));
    const ranged = curves.some((curve) => curve.low);
    const boxed = boxesOf(figure).length > 0;
    const map = mapOf(figure);
    const [x, y] = [column(figure.x), column(figure.y)];
    const more = [
        ...(ranged ? [`${y}_low`] : []),
        ...(boxed ? BOX_COLUMNS : []),
        ...(map ? [column(map.colours.axis)] : []),
    ];
    const lines = [["curve", x, y, ...more].join(",")];
    const names = uniqueNames(curves.map((curve) => curve.name));
    for (const [which, curve] of curves.entries()) {
        const name = cell(names[which]);
        curve.x.forEach((value, index) => {
            const low = ranged ? [curve.low?.[index] ?? ""] : [];
            const five = boxed ? boxCells(curve, index) : [];
            const colour = map ? [curve.value?.[index] ?? ""] : [];
            const place = [placed(value, figure.x), placed((curve.raw ?? curve.y)[index], figure.y)];
            lines.push([name, ...place, ...low, ...five, ...colour].join(","));
        });
    }
    return lines.join("\n") + "\n";
}

// Of a box, all but its median, which is the value itself, and the values beyond its whiskers.
const BOX_COLUMNS = ["low_whisker", "lower_quartile", "upper_quartile", "high_whisker", "beyond"];
const BOX_PLACES = [0, 1, 3, 4];

// All but the median, and the values beyond the whiskers with blanks between them.
function boxCells({ five, beyond }, index) {
    return [...BOX_PLACES.map((place) => five?.[index][place] ?? ""), beyond?.[index].join(" ") ?? ""];
}

// A value, or the name at which it stands.
function placed(value, axis) {
    return axis.names ? cell(axis.names[Math.round(value)] ?? "") : (value ?? "");
}

// `ping (1)`, `ping (2)`.
function uniqueNames(names) {
    return names.map((name, index) => {
        if (names.indexOf(name) === names.lastIndexOf(name)) return name;
        const number = names.slice(0, index + 1).filter((other) => other === name).length;
        return `${name} (${number})`;
    });
}

// `Goodput` in `Mbit/s` is `goodput_mbit_s`.
function column({ label, unit }) {
    return `${label} ${unit}`
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, "_")
        .replace(/^_|_$/g, "");
}

// A name, quoted if need be. Spreadsheets compute what begins like a formula; an apostrophe stops
// them.
function cell(text) {
    const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

// The button that saves the values of a figure; its name says which, also to whoever does not see where it stands.
function saveButton(figure) {
    const made = button("Save CSV", () => save(figure));
    made.setAttribute("aria-label", `Save CSV: ${figure.title}`);
    return made;
}

function save(figure) {
    const link = element("a", "");
    link.href = URL.createObjectURL(new Blob([csv(figure)], { type: "text/csv" }));
    link.download = `${figure.id.replace(/[^\w-]+/g, "_")}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
