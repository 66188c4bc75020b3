// Names along an axis instead of numbers: level if they fit, in several lines if that helps, else
// aslant; as in the pictures of `--plot`.

const NAME_LINES = 3,
    LONGEST_NAME = 170;

const measure = document.createElement("canvas").getContext("2d");

function textWidth(text) {
    measure.font = AXIS_FONT;
    return measure.measureText(text).width;
}

// As much of it as has room.
function cut(text, room) {
    if (textWidth(text) <= room) return text;
    let length = text.length;
    while (length > 0 && textWidth(`${text.slice(0, length)}\u2026`) > room) length--;
    return `${text.slice(0, length).trimEnd()}\u2026`;
}

// Broken between words; null if that is not enough.
function broken(text, room) {
    const lines = [];
    for (const word of text.split(/\s+/)) {
        const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
        if (lines.length && textWidth(longer) <= room) lines[lines.length - 1] = longer;
        else lines.push(word);
    }
    const fits = lines.length <= NAME_LINES && lines.every((line) => textWidth(line) <= room);
    return fits ? lines : null;
}

// How names along the lower side are set where each has so much room.
function namesBelow(names, room) {
    const level = names.map((name) => broken(name, room - 8));
    if (level.every((lines) => lines)) {
        const most = Math.max(...level.map((lines) => lines.length));
        return { texts: level.map((lines) => lines.join("\n")), slope: 0, size: 18 * most + 16 };
    }
    const texts = names.map((name) => cut(name, 150));
    const widest = Math.max(...texts.map(textWidth));
    return { texts, slope: 37, size: Math.ceil(widest * 0.6) + 26 };
}

// What uPlot needs to know of an axis with names.
function namedAxis({ names }, side) {
    const below = (plot) => namesBelow(names, (plot.width - 90) / names.length);
    const inSight = (_, __, from, to) =>
        names.map((_, index) => index).filter((index) => index >= from && index <= to);
    const hidden = { show: false };
    if (side === 2)
        return {
            splits: inSight,
            values: (plot, ticks) => ticks.map((tick) => below(plot).texts[tick] ?? ""),
            rotate: (plot) => below(plot).slope,
            size: (plot) => below(plot).size,
            grid: hidden,
        };
    const texts = names.map((name) => cut(name, LONGEST_NAME));
    return {
        splits: inSight,
        values: (_, ticks) => ticks.map((tick) => texts[tick] ?? ""),
        size: Math.ceil(Math.max(...texts.map(textWidth))) + 16,
        grid: hidden,
    };
}
