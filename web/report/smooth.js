// Curves of short steps, drawn as the middle of what is around each value, until their reader asks for all.

// The curve's values, each the middle of those around it; null where there are none.
function smoothed({ x, y, smoothed_over: width }, middleOf) {
    let [first, behind] = [0, 0];
    return x.map((at) => {
        for (; behind < x.length && x[behind] <= at + width / 2; behind++);
        for (; x[first] < at - width / 2; first++);
        const around = y.slice(first, behind).filter((value) => value !== null && value !== undefined);
        return around.length ? middleOf(around) : null;
    });
}

function meanOf(values) {
    return values.reduce((sum, value) => sum + value, 0) / values.length;
}

// On an axis of factors a mean would rise long before its values do.
function medianOf(values) {
    return values.sort((one, other) => one - other)[values.length >> 1];
}

// Draws curves of a plot smooth. Returns a button that draws all of their values; null if no curve is smooth.
function smooth(plot) {
    const lines = plot.figure.curves.filter((curve) => curve.smoothed_over);
    if (!lines.length) return null;
    const middleOf = plot.scales.y === "log" ? medianOf : meanOf;
    for (const curve of lines) [curve.raw, curve.smooth] = [curve.y, smoothed(curve, middleOf)];
    const toggle = button("All values", () => change(toggle.getAttribute("aria-pressed") === "false"));
    const change = (isRaw) => {
        toggle.setAttribute("aria-pressed", isRaw);
        for (const curve of lines) curve.y = isRaw ? curve.raw : curve.smooth;
        if (plot.uplot) plot.show(plot.view);
    };
    change(false);
    return toggle;
}
