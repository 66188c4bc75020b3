// Curves of short steps, drawn as the mean of what is around each value, until their reader asks for all.

// The curve's values, each the mean of those around it.
function smoothed({ x, y, smoothed_over: width }) {
    let [first, behind, sum, count] = [0, 0, 0, 0];
    const known = (index) => y[index] !== null && y[index] !== undefined;
    return x.map((at, index) => {
        for (; behind < x.length && x[behind] <= at + width / 2; behind++)
            if (known(behind)) [sum, count] = [sum + y[behind], count + 1];
        for (; x[first] < at - width / 2; first++)
            if (known(first)) [sum, count] = [sum - y[first], count - 1];
        return known(index) && count ? sum / count : null;
    });
}

// Draws curves of a plot smooth. Returns a button that draws all of their values; null if no curve is smooth.
function smooth(plot) {
    const lines = plot.figure.curves.filter((curve) => curve.smoothed_over);
    if (!lines.length) return null;
    for (const curve of lines) [curve.raw, curve.mean] = [curve.y, smoothed(curve)];
    const toggle = button("All values", () => change(toggle.getAttribute("aria-pressed") === "false"));
    const change = (isRaw) => {
        toggle.setAttribute("aria-pressed", isRaw);
        for (const curve of lines) curve.y = isRaw ? curve.raw : curve.mean;
        if (plot.uplot) plot.show(plot.view);
    };
    change(false);
    return toggle;
}
