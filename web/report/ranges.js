// From where to where an axis goes.

// The whole of what several figures may share, up to round numbers, as in the pictures of `--plot`:
// a logarithmic axis has numbers at both ends, another begins at 0 if that is near.
function whole([least, most], scale) {
    if (scale === "log") return wholeDecades(least, most);
    const low = least >= 0 && least <= 0.1 * most ? 0 : least;
    const step = roundedUp((most - low) / 8);
    const high = Math.ceil(most / step - 1e-6) * step;
    return [low, high - most <= 0.02 * (most - low) ? high : most];
}

// To 1, 2 or 5 times a power of ten; at least from one power of ten to the next.
function wholeDecades(least, most) {
    if (most >= least * 10) return [roundedDown(least), roundedUp(most)];
    const low = powerBelow(least);
    return [low, roundedUp(Math.max(most, low * 10))];
}

// The smallest of 1, 2 and 5 times a power of ten that is no less than `value`.
function roundedUp(value) {
    const power = powerBelow(value);
    return [1, 2, 5, 10].map((digit) => times(digit, power)).find((round) => round >= value);
}

// The largest of them that is no more than `value`.
function roundedDown(value) {
    const power = powerBelow(value);
    return [5, 2].map((digit) => times(digit, power)).find((round) => round <= value) ?? power;
}

// The largest power of ten that is no more than `value`; `1e-3` is exact where 10 ** -3 is not.
function powerBelow(value) {
    return Number(value.toExponential().replace(/^.*e/, "1e"));
}

function times(digit, power) {
    return Number(`${digit}${power.toExponential().slice(1)}`);
}

// Room above and below, so that no line hides in the frame; 0 belongs to what cannot be negative.
function roomy(reach, scale, room) {
    if (!reach) return scale === "log" ? [1, 10] : [0, 1];
    const [least, most] = reach;
    if (scale === "log") return widened(least, most, room);
    const span = most - Math.min(least, 0) || Math.abs(most) || 1;
    return [
        least >= 0 ? 0 : least - span * room,
        most <= 0 && least < 0 ? 0 : most + span * room || 1,
    ];
}

// The same, but 0 only where it is near: of boxes and of ellipses the place tells more than the
// height. A tenth of the largest value at least, so that noise does not look like an effect.
function tight(reach, scale, room) {
    if (!reach || scale === "log" || reach[0] < 0.5 * reach[1]) return roomy(reach, scale, room);
    const most = reach[1];
    const least = Math.min(reach[0], 0.9 * most);
    const side = (most - least) * room;
    return [least - side, most + side];
}

// Of a logarithmic axis; at least a factor of ten.
function widened(least, most, room) {
    const factor = Math.max(
        (most / least) ** room,
        Math.sqrt(10 / Math.min(10, most / least)),
        1.05,
    );
    return [least / factor, most * factor];
}

