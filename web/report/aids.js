// What helps to read a plot: named parts of it, and lines to compare with. They have no colour, no
// place in the legend, and no values to point at.

const AID_FONT = 12;

function isAid({ mark }) {
    return mark === "span" || mark === "guide";
}

function paintAid(context, curve, place, ratio) {
    context.save();
    context.font = `${AID_FONT * ratio}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;
    if (curve.mark === "span") paintSpan(context, curve, place, ratio);
    else paintGuide(context, curve, place, ratio);
    context.restore();
}

// From the first x to the last, and from the bottom to the top; named above it if there is room.
function paintSpan(context, curve, place, ratio) {
    const { left, top, width, height } = place.frame;
    const inside = (x) => Math.min(left + width, Math.max(left, place.x(x)));
    const [from, to] = [inside(curve.x[0]), inside(curve.x.at(-1))];
    context.fillStyle = ink.muted;
    context.globalAlpha = 0.09;
    context.fillRect(from, top, to - from, height);
    context.globalAlpha = 1;
    if (context.measureText(curve.name).width + 8 * ratio > to - from) return;
    context.textAlign = "center";
    context.fillText(curve.name, (from + to) / 2, top - 6 * ratio);
}

// Along its values, its name above the end if there is room.
function paintGuide(context, curve, place, ratio) {
    const last = curve.x.length - 1;
    if (last < 1) return;
    const at = (i) => [place.x(curve.x[i]), place.y(curve.y[i])];
    context.strokeStyle = ink.axis;
    context.fillStyle = ink.muted;
    context.lineWidth = ratio;
    context.setLineDash([2 * ratio, 3 * ratio]);
    context.save();
    within(context, place.frame, 0);
    context.beginPath();
    for (let i = 0; i <= last; i++) context.lineTo(...at(i));
    context.stroke();
    context.restore();
    const [before, end] = [at(last - 1), at(last)];
    const nearTop = end[1] - place.frame.top < (AID_FONT + 4) * ratio;
    const slope = (before[1] - end[1]) / Math.max(1, end[0] - before[0]);
    const aside = nearTop ? (AID_FONT + 8) / Math.max(slope, 0.1) + 4 : 4;
    context.textAlign = "right";
    const down = nearTop ? AID_FONT + 2 : -5;
    const right = end[0] - aside * ratio;
    if (right - context.measureText(curve.name).width > place.frame.left)
        context.fillText(curve.name, right, end[1] + down * ratio);
}
