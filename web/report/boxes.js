// Boxes with whiskers, those of several curves side by side; as in the pictures of `--plot`.

const BOX_GROUP = 0.84,
    BOX_SHARE = 0.8,
    WIDEST_BOX = 52;

function boxesOf(figure) {
    return figure.curves.filter((curve) => curve.mark === "box");
}

// Whose boxes stand side by side, and how far apart, where `x` makes values into pixels and a pixel
// of CSS has `ratio` of them.
function boxLayout(figure, x, width, ratio) {
    const boxes = boxesOf(figure);
    const names = [...new Set(boxes.map((curve) => curve.name))];
    const values = [...new Set(boxes.flatMap((curve) => curve.x))].sort((one, other) => one - other);
    const gaps = values.slice(1).map((value, index) => x(value) - x(values[index]));
    const room = Math.min(width, ...gaps.filter((gap) => gap > 0.01));
    const share = (room * BOX_GROUP) / Math.max(1, names.length);
    return { names, step: Math.min(share, WIDEST_BOX * ratio) };
}

// How far from their place those of a name are.
function aside({ names, step }, name) {
    return (names.indexOf(name) - (names.length - 1) / 2) * step;
}

// Half the least distance of two places along an axis, in values; 0 of less than two.
function halfGap(figure, even) {
    const values = [...new Set(boxesOf(figure).flatMap((curve) => curve.x))].map(even);
    values.sort((one, other) => one - other);
    const gaps = values.slice(1).map((value, index) => value - values[index]);
    return gaps.length ? Math.min(...gaps) / 2 : 0;
}

function boxes(context, curve, place, pen) {
    const half = Math.max(place.boxes.step * BOX_SHARE, 1.5 * pen.ratio) / 2;
    const fine = half < 4 * pen.ratio;
    const [first, last] = shown(curve, place.view.x);
    for (let i = first; i <= last; i++) {
        const five = curve.five[i];
        if (!drawable(curve.x[i], place.scales.x)) continue;
        if (!five.every((value) => drawable(value, place.scales.y))) continue;
        const at = place.x(curve.x[i]) + aside(place.boxes, curve.name);
        const [low, lower, median, upper, high] = five.map(place.y);
        for (const value of curve.beyond?.[i] ?? [])
            if (drawable(value, place.scales.y)) dot(context, at, place.y(value), 1.75 * pen.ratio);
        context.globalAlpha = 0.25;
        context.fillRect(at - half, upper, 2 * half, lower - upper);
        context.globalAlpha = 1;
        context.lineWidth = (fine ? 1 : 1.25) * pen.ratio;
        context.strokeRect(at - half, upper, 2 * half, lower - upper);
        context.setLineDash([]);
        strokes(context, [at, lower, at, low], [at, upper, at, high]);
        if (low !== lower) strokes(context, [at - half / 2, low, at + half / 2, low]);
        if (high !== upper) strokes(context, [at - half / 2, high, at + half / 2, high]);
        context.lineWidth = (fine ? 2 : 2.75) * pen.ratio;
        context.lineCap = "butt";
        strokes(context, [at - half, median, at + half, median]);
        context.lineCap = "round";
        if (pen.dashed) context.setLineDash([3 * pen.ratio, 2 * pen.ratio]);
    }
}

function dot(context, x, y, radius) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
}

function strokes(context, ...lines) {
    context.beginPath();
    for (const [left, top, right, bottom] of lines) {
        context.moveTo(left, top);
        context.lineTo(right, bottom);
    }
    context.stroke();
}
