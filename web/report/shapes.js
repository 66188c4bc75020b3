// Curves as shapes on the canvas.

const BAND = 0.16,
    RANGE = 0.22,
    DASH = [7, 4],
    LINE = 1.6;

// Paints one curve. `place` has `x` and `y`, which make values into pixels, `scales`, what part is
// shown, and in which `frame`; `pen` is the colour, whether it is dashed, and how many pixels one
// of CSS has.
function paint(context, curve, place, pen) {
    context.save();
    context.strokeStyle = context.fillStyle = pen.colour;
    context.lineWidth = LINE * pen.ratio;
    context.lineJoin = context.lineCap = "round";
    if (pen.dashed) context.setLineDash(DASH.map((length) => length * pen.ratio));
    if (curve.mark === "box") {
        within(context, place.frame, pen.ratio);
        boxes(context, curve, place, pen);
    } else if (curve.mark === "cells") {
        within(context, place.frame, 0);
        cells(context, curve, place, pen);
    } else if (curve.mark === "ellipse") {
        ellipse(context, curve, place, pen);
    } else if (curve.mark === "strokes") {
        within(context, place.frame, (LINE / 2) * pen.ratio);
        upright(context, curve, place, 2 * pen.ratio);
    } else if (curve.mark === "points") {
        dots(context, curve, place, dotRadius(curve) * pen.ratio, pen.dashed);
    } else {
        context.save();
        within(context, place.frame, (LINE / 2) * pen.ratio);
        for (const run of runs(curve, place)) {
            if (curve.low) area(context, run, curve.mark === "band" ? BAND : RANGE);
            if (curve.mark === "band") continue;
            if (run.length > 3) line(context, run);
            else alone(context, run, 2.4 * pen.ratio);
        }
        context.restore();
        if (curve.mark === "line_points") dots(context, curve, place, 3.2 * pen.ratio);
    }
    context.restore();
}

// Nothing is drawn beyond the frame, but a line along it is as wide as others.
function within(context, { left, top, width, height }, room) {
    context.beginPath();
    context.rect(left - room, top - room, width + 2 * room, height + 2 * room);
    context.clip();
}

// Many dots are small.
function dotRadius(curve) {
    return curve.x.length <= 30 ? 5 : curve.x.length <= 1000 ? 2.6 : 1.8;
}

// What is shown of a curve, and one value more on either side.
function shown(curve, [from, to]) {
    const last = curve.x.length - 1;
    return [Math.max(0, firstFrom(curve, from) - 1), Math.min(last, firstBehind(curve, to))];
}

// The stretches without a gap: lists of x, top and bottom in turn.
function runs(curve, place) {
    const [first, last] = shown(curve, place.view.x);
    const stretches = [];
    let run = [];
    for (let i = first; i <= last; i++) {
        const x = place.x(curve.x[i]);
        if (curve.mark === "steps" && run.length) run.push(x, run.at(-2), run.at(-1));
        if (isDrawn(curve, i, place.scales)) {
            const top = place.y(curve.y[i]);
            run.push(x, top, curve.low ? place.y(curve.low[i]) : top);
        } else if (run.length) {
            stretches.push(run);
            run = [];
        }
    }
    if (run.length) stretches.push(run);
    return stretches;
}

function isDrawn(curve, i, scales) {
    return (
        drawable(curve.x[i], scales.x) &&
        drawable(curve.y[i], scales.y) &&
        (!curve.low || drawable(curve.low[i], scales.y))
    );
}

function line(context, run) {
    context.beginPath();
    context.moveTo(run[0], run[1]);
    for (let i = 3; i < run.length; i += 3) context.lineTo(run[i], run[i + 1]);
    context.stroke();
}

// A value between two gaps is a dot, and a line down to its lower edge.
function alone(context, [x, top, bottom], radius) {
    context.beginPath();
    context.arc(x, top, radius, 0, 2 * Math.PI);
    context.fill();
    if (bottom === top) return;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
}

function area(context, run, opacity) {
    context.beginPath();
    for (let i = 0; i < run.length; i += 3) context.lineTo(run[i], run[i + 1]);
    for (let i = run.length - 3; i >= 0; i -= 3) context.lineTo(run[i], run[i + 2]);
    context.closePath();
    context.globalAlpha = opacity;
    context.fill();
    context.globalAlpha = 1;
}

// Upright lines from the lower edge to the value, none shorter than can be seen.
function upright(context, curve, place, least) {
    const [first, last] = shown(curve, place.view.x);
    context.lineCap = "butt";
    context.setLineDash([]);
    context.beginPath();
    for (let i = first; i <= last; i++) {
        if (!isDrawn(curve, i, place.scales)) continue;
        const [x, high, low] = [place.x(curve.x[i]), place.y(curve.y[i]), place.y(curve.low[i])];
        context.moveTo(x, high - Math.max(0, least - (low - high)));
        context.lineTo(x, low);
    }
    context.stroke();
}

// Where lines would be dashed, dots are rings. A dot on the frame is whole.
function dots(context, curve, place, radius, asRings = false) {
    const [first, last] = shown(curve, place.view.x);
    context.beginPath();
    for (let i = first; i <= last; i++) {
        if (!isDrawn(curve, i, place.scales)) continue;
        const [x, y] = [place.x(curve.x[i]), place.y(curve.y[i])];
        if (!isWithin(place.frame, x, y)) continue;
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    const many = curve.mark === "points" && curve.x.length > 300;
    context.globalAlpha = place.faint && curve.mark === "points" ? 0.4 : many ? 0.55 : 1;
    context.setLineDash([]);
    if (asRings) context.stroke();
    else context.fill();
    context.globalAlpha = 1;
}

// Places are rounded: one on the frame may be a hair beyond it.
function isWithin({ left, top, width, height }, x, y) {
    return x >= left - 1 && x <= left + width + 1 && y >= top - 1 && y <= top + height + 1;
}
