// Maps: fields whose colour is a value, and the bar that says which; ellipses around clouds.

function mapOf(figure) {
    return figure.curves.find((curve) => curve.mark === "cells");
}

// How far a value is from the dark end of the colours, 0 to 1.
function partOf(value, { axis, from, to }) {
    const even = axis.scale === "log" ? Math.log10 : (value) => value;
    if (from === to) return 0.5;
    const part = (even(value) - even(from)) / (even(to) - even(from));
    return Math.min(1, Math.max(0, part));
}

function mapColour(part) {
    const place = part * (ink.map.length - 1);
    const below = Math.min(Math.floor(place), ink.map.length - 2);
    const [one, other] = [ink.map[below], ink.map[below + 1]];
    const mixed = one.map((channel, i) => Math.round(channel + (other[i] - channel) * (place - below)));
    return `rgb(${mixed.join(" ")})`;
}

function hasColour(curve, index) {
    return drawable(curve.value[index], curve.colours.axis.scale);
}

function cells(context, curve, place, pen) {
    context.font = AXIS_FONT.replace(/^\d+px/, `${12 * pen.ratio}px`);
    context.textAlign = "center";
    context.textBaseline = "middle";
    curve.x.forEach((x, index) => {
        const y = curve.y[index];
        const [left, top] = [place.x(x - 0.5), place.y(y + 0.5)];
        const [width, height] = [place.x(x + 0.5) - left, place.y(y - 0.5) - top];
        const known = hasColour(curve, index);
        const part = known && partOf(curve.value[index], curve.colours);
        if (known) {
            const gap = Math.min(width, height) > 8 * pen.ratio ? pen.ratio : 0;
            context.fillStyle = mapColour(part);
            context.fillRect(left, top, width - gap, height - gap);
        }
        const text = known ? short(curve.value[index]) : "\u2013";
        if (context.measureText(text).width + 8 * pen.ratio > width || height < 17 * pen.ratio) return;
        context.fillStyle = !known ? ink.muted : part < 0.42 ? "#fff" : "#000";
        context.fillText(text, left + width / 2, top + height / 2);
    });
}

// The colours with numbers below them.
function colourBar({ colours }) {
    const { axis, from, to } = colours;
    const strip = element("div", "strip");
    for (const tick of barTicks(axis.scale, from, to)) {
        const mark = element("span", "", writtenTicks([tick])[0]);
        mark.style.left = `${partOf(tick, colours) * 100}%`;
        strip.append(mark);
    }
    return element("div", "bar", element("span", "", axisTitle(axis)), strip);
}

function barTicks(scale, from, to) {
    if (from === to) return [from];
    if (scale === "log" && !isNarrow(from, to))
        return logTicks(from, to).filter((tick) => logTickIsNamed(tick, from, to));
    return narrowTicks(from, to, 4);
}

// The field below the cursor.
function fieldAt(plot, left, top) {
    const curve = mapOf(plot.figure);
    const [x, y] = [plot.uplot.posToVal(left, "x"), plot.uplot.posToVal(top, "y")].map(Math.round);
    const index = curve.x.findIndex((value, i) => value === x && curve.y[i] === y);
    return index < 0 ? null : { curve, index };
}

function fieldBox(plot, { curve, index }) {
    const { x, y } = plot.figure;
    const { axis } = curve.colours;
    const row = (name, value) =>
        element("div", "row", element("span", "name", name), element("span", "value", value));
    const value = hasColour(curve, index) ? written(curve.value[index]) : "no data";
    return [
        row(x.label, x.names[curve.x[index]]),
        row(y.label, y.names[curve.y[index]]),
        row(axis.label, hasColour(curve, index) ? withUnit(value, axis.unit) : value),
    ];
}

// The values on the edge of an ellipse.
function edge(curve, scales) {
    const value = { linear: (place) => place, log: (place) => 10 ** place };
    const [across, up, long, short, angle] = curve.ellipse ?? [0, 0, 0, 0, 0];
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    return Array.from({ length: curve.ellipse ? 72 : 0 }, (_, corner) => {
        const turn = (corner / 72) * 2 * Math.PI;
        const [along, beside] = [long * Math.cos(turn), short * Math.sin(turn)];
        return [
            value[scales.x](across + along * cosine - beside * sine),
            value[scales.y](up + along * sine + beside * cosine),
        ];
    });
}

function ellipse(context, curve, place, pen) {
    context.save();
    within(context, place.frame, (LINE / 2) * pen.ratio);
    context.lineWidth = 2 * pen.ratio;
    context.beginPath();
    for (const [x, y] of edge(curve, place.scales)) context.lineTo(place.x(x), place.y(y));
    context.closePath();
    context.globalAlpha = BAND;
    context.fill();
    context.globalAlpha = 1;
    context.stroke();
    context.restore();
    const colour = context.fillStyle;
    context.fillStyle = ink.ground;
    dots(context, curve, place, 6.5 * pen.ratio);
    context.fillStyle = colour;
    dots(context, curve, place, 5 * pen.ratio, pen.dashed);
}
