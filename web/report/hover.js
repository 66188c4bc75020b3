// What stands where the cursor is: a box with the values, and a dot at each.

// Of each entry shown the value at `x`, or that of the nearest sample, and the range around it.
function valuesAt(plot, x) {
    // Everywhere near a name, its values.
    const span = plot.view.x[1] - plot.view.x[0];
    const tolerance = plot.figure.x.names ? 0.5 : span * 0.01;
    const rows = [];
    for (const entry of plot.entries.filter((entry) => entry.shown)) {
        const found = entry.curves
            .map((curve) => ({ curve, index: valueAt(curve, x, tolerance) }))
            .filter(({ curve, index }) => index !== null && isDrawn(curve, index, plot.scales))
            .filter(({ curve, index }) => {
                const far = Math.abs(curve.x[index] - x) > tolerance;
                return curve.mark !== "points" || !far;
            });
        const main = found.find(({ curve }) => curve.mark !== "band") ?? found[0];
        if (main) rows.push({ entry, ...main, range: rangeOf(found) });
    }
    return rows;
}

// The widest range of those found.
function rangeOf(found) {
    const ranged = found.filter(({ curve }) => curve.low);
    const reach = extent(ranged.flatMap(({ curve, index }) => [curve.low[index], curve.y[index]]));
    return reach && reach[0] < reach[1] ? reach : null;
}

// Of a cloud the one point nearest to the cursor, within a thumb's reach.
function nearestPoint(plot, left, top) {
    let nearest = null;
    let least = 40 ** 2;
    for (const entry of plot.entries.filter((entry) => entry.shown)) {
        for (const curve of entry.curves) {
            const [first, last] = shown(curve, plot.view.x);
            for (let index = first; index <= last; index++) {
                if (!isDrawn(curve, index, plot.scales)) continue;
                const across = plot.uplot.valToPos(curve.x[index], "x") - left;
                const up = plot.uplot.valToPos(curve.y[index], "y") - top;
                const distance = across * across + up * up;
                if (distance < least)
                    [least, nearest] = [distance, { entry, curve, index, range: null }];
            }
        }
    }
    return nearest ? [nearest] : [];
}

function rowText(row, axis) {
    const { curve, index, range } = row;
    if (axis.names) return axis.names[Math.round(curve.y[index])] ?? "";
    if (curve.five) {
        const [lower, median, upper] = curve.five[index].slice(1, 4).map((value) => writtenAlong(axis, value));
        return withUnit(`${median} (${lower} to ${upper})`, axis.unit);
    }
    if (!range) return withUnit(writtenAlong(axis, curve.y[index]), axis.unit);
    const both = `${writtenAlong(axis, range[0])} to ${writtenAlong(axis, range[1])}`;
    const alone = curve.mark === "band" || curve.low;
    return withUnit(alone ? both : `${writtenAlong(axis, curve.y[index])} (${both})`, axis.unit);
}

// The number of the packet that a value is of, if it is of one.
function packetText({ curve, index }) {
    const number = curve.packets?.[index];
    return number === undefined ? "" : `, packet ${number}`;
}

function hoverBox(plot, rows, x) {
    const { x: axis, y } = plot.figure;
    const step = (plot.view.x[1] - plot.view.x[0]) / 1000;
    const number = axis.scale === "log" || plot.cloud ? written(x) : writtenTo(x, step);
    const place = axis.names ? (axis.names[Math.round(x)] ?? "") : number;
    const at = element(
        "div",
        "at",
        plot.cloud ? `${axis.label} ${withUnit(place, axis.unit)}` : withUnit(place, axis.unit),
    );
    const lines = rows.map((row) =>
        element(
            "div",
            "row",
            swatch(row.entry),
            element("span", "name", shortened(row.entry.name)),
            element("span", "value", rowText(row, y) + packetText(row)),
        ),
    );
    return plot.cloud ? [...lines, at] : [at, ...lines];
}

// Names that begin alike differ at their ends.
function shortened(name) {
    return name.length > 28 ? `${name.slice(0, 12)}\u2026${name.slice(-15)}` : name;
}

// Beside the cursor, on the side that has room; on a phone below the plot.
function placeBox(box, plot, left) {
    const { over, width } = plot.uplot;
    if (width < 480) {
        box.style.transform = `translate(0, ${over.offsetTop + over.clientHeight + 24}px)`;
        return;
    }
    const across = over.offsetLeft + left;
    const room = width - across - 16;
    const wanted =
        room >= box.offsetWidth || room >= across ? across + 14 : across - 14 - box.offsetWidth;
    const x = Math.max(0, Math.min(wanted, width - box.offsetWidth));
    box.style.transform = `translate(${x}px, ${over.offsetTop + 8}px)`;
}

function dotsAt(plot, rows) {
    return rows.map(({ entry, curve, index }) => {
        const dot = element("div", "dot");
        const place = (value) => plot.uplot.valToPos(value, "x");
        const layout = boxLayout(plot.figure, place, plot.uplot.over.clientWidth, 1);
        const [x, y] = [
            place(curve.x[index]) + (curve.five ? aside(layout, curve.name) : 0),
            plot.uplot.valToPos(curve.y[index], "y"),
        ];
        dot.style.background = `var(--curve-${entry.ink})`;
        dot.style.transform = `translate(${x}px, ${y}px)`;
        return dot;
    });
}
