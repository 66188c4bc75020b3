// What helps to read a plot: named parts of it, and lines to compare with. They have no colour, no
// place in the legend, and no values to point at.

const AID_FONT = 12;

function isAid({ mark }) {
    return mark === "span" || mark === "guide";
}

function aidFont(ratio) {
    return `${AID_FONT * ratio}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;
}

function paintAid(context, curve, place, ratio) {
    context.save();
    context.font = aidFont(ratio);
    if (curve.mark === "span") paintSpan(context, curve, place);
    else paintGuide(context, curve, place, ratio);
    context.restore();
}

// From the first x to the last, and from the bottom to the top.
function paintSpan(context, curve, place) {
    const { left, top, width, height } = place.frame;
    const inside = (x) => Math.min(left + width, Math.max(left, place.x(x)));
    const [from, to] = [inside(curve.x[0]), inside(curve.x.at(-1))];
    context.fillStyle = ink.muted;
    context.globalAlpha = 0.09;
    context.fillRect(from, top, to - from, height);
    context.globalAlpha = 1;
}

// The names of the parts in sight, each in the middle above its part, and in a line above the others where it has no
// room beside them: as parts of the width of the plot, so that the lines are known before their places.
function spanNames({ figure, view, frame }) {
    const [from, to] = view.x;
    const width = Math.max(1, (frame.clientWidth || 640) - 80);
    const part = (x) => Math.min(1, Math.max(0, (x - from) / (to - from)));
    const ends = [];
    const spans = figure.curves.filter(({ mark, x }) => mark === "span" && x.at(-1) > from && x[0] < to);
    return spans.map(({ name, x }) => {
        const half = (textWidth(name) + 8) / 2 / width;
        const middle = (part(x[0]) + part(x.at(-1))) / 2;
        const at = Math.max(half, Math.min(1 - half, middle));
        const free = ends.findIndex((end) => end <= at - half);
        const line = free < 0 ? ends.length : free;
        ends[line] = at + half;
        return { name, at, line };
    });
}

function paintSpanNames(context, plot, { frame }, ratio) {
    context.save();
    context.font = aidFont(ratio);
    context.fillStyle = ink.muted;
    context.textAlign = "center";
    for (const { name, at, line } of spanNames(plot))
        context.fillText(name, frame.left + at * frame.width, frame.top - (6 + 14 * line) * ratio);
    context.restore();
}

// Along its values; its name gets a place beside the end, or as near to it as there is room.
function paintGuide(context, curve, place, ratio) {
    if (curve.x.length < 2) return;
    const points = curve.x.map((x, i) => [place.x(x), place.y(curve.y[i])]);
    context.strokeStyle = ink.axis;
    context.lineWidth = ratio;
    context.setLineDash([2 * ratio, 3 * ratio]);
    context.save();
    within(context, place.frame, 0);
    context.beginPath();
    for (const point of points) context.lineTo(...point);
    context.stroke();
    context.restore();
    const size = [context.measureText(curve.name).width, AID_FONT * ratio];
    const free = ([right, bottom]) => {
        const spot = { left: right - size[0], right, top: bottom - size[1], bottom };
        const isFree = isInside(spot, place.frame) && !place.names.some((name) => overlap(spot, name));
        return isFree ? spot : null;
    };
    const spot = first(besides(points.reverse(), ratio), free);
    if (!spot) return;
    place.names.push({ ...spot, name: curve.name });
}

// The names of lines, upon whatever else is drawn there.
function paintGuideNames(context, { names }, ratio) {
    context.save();
    context.font = aidFont(ratio);
    context.textAlign = "right";
    context.lineJoin = "round";
    context.lineWidth = 4 * ratio;
    context.strokeStyle = ink.ground;
    context.fillStyle = ink.muted;
    for (const { name, right, bottom } of names) {
        context.strokeText(name, right, bottom);
        context.fillText(name, right, bottom);
    }
    context.restore();
}

// Where a name may end: from the first point on, above the line, and where that is level also below it.
function* besides(points, ratio) {
    for (let i = 1; i < points.length; i++) {
        const [[x, y], [before, end]] = [points[i - 1], points[i]];
        const steps = Math.max(1, Math.ceil((x - before) / (4 * ratio)));
        const isLevel = Math.abs(end - y) < 0.1 * (x - before);
        for (let step = 0; step < steps; step++) {
            const at = [x + ((before - x) * step) / steps - 4 * ratio, y + ((end - y) * step) / steps];
            yield [at[0], at[1] - 5 * ratio];
            if (isLevel) yield [at[0], at[1] + (AID_FONT + 2) * ratio];
        }
    }
}

// The first of them that has what is asked for.
function first(all, wanted) {
    for (const one of all) {
        const found = wanted(one);
        if (found) return found;
    }
    return null;
}

function isInside(spot, { left, top, width, height }) {
    return spot.left >= left && spot.top >= top && spot.right <= left + width && spot.bottom <= top + height;
}

function overlap(one, other) {
    return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
