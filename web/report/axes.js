// The two axes: where their numbers stand, and how they are written.

const AXIS_FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

// Between ends so close (a factor of six), round numbers at even steps.
function isNarrow(from, to) {
    return Math.log10(to / from) < 0.8;
}

// As many as there is room for where they are closest, at the end; at least two.
function narrowTicks(from, to, most) {
    const closest = (to * Math.log(to / from)) / Math.max(most, 1);
    let step = roundedUp(Math.min(closest, to - from));
    const count = () => Math.floor(to / step + 1e-6) - Math.ceil(from / step - 1e-6) + 1;
    while (count() < 2) step = roundedDown(step * 0.9);
    const first = Math.ceil(from / step - 1e-6);
    const ticks = Array.from({ length: count() }, (_, index) => (first + index) * step);
    return ticks.map((tick) => Math.min(to, Math.max(from, Number(tick.toPrecision(12)))));
}

// 1, 2, ..., 9 times each power of ten in sight.
function logTicks(from, to) {
    const ticks = [];
    for (let exponent = Math.floor(Math.log10(from)); 10 ** exponent <= to; exponent++) {
        for (let digit = 1; digit <= 9; digit++) {
            const tick = Number(`${digit}e${exponent}`);
            if (tick >= from && tick <= to) ticks.push(tick);
        }
    }
    return ticks;
}

// Which of them have a number: the fewer decades, the more; of very many decades not each.
function logTickIsNamed(tick, from, to) {
    const decades = Math.log10(to / from);
    const exponent = Math.floor(Math.log10(tick) + 1e-9);
    const digit = Math.round(tick / 10 ** exponent);
    if (decades > 8) return digit === 1 && exponent % 3 === 0;
    if (decades > 2.5) return digit === 1;
    return [1, 2, 5].includes(digit);
}

function writtenLogTicks(ticks) {
    return ticks.map((tick) => {
        if (tick === null) return "";
        return tick >= 1e5
            ? COMPACT.format(tick)
            : tick < 1e-5
              ? tick.toExponential(0)
              : SHORT.format(tick);
    });
}

// The width of a vertical axis with these numbers, of which uPlot has none before it first draws.
function roomFor(texts) {
    const widest = Math.max(0, ...(texts ?? []).map((text) => textWidth(text ?? "")));
    return Math.max(56, Math.ceil(widest) + 16);
}

// What uPlot needs to know of one axis.
function axisOptions(axis, side) {
    const options = {
        side,
        font: AXIS_FONT,
        stroke: () => ink.muted,
        grid: { stroke: () => ink.grid, width: 1 },
        ticks: { stroke: () => ink.grid, width: 1, size: 5 },
        gap: 5,
        space: side === 2 ? 70 : 44,
        values: (_, ticks) => writtenTicks(ticks),
    };
    if (side === 3) options.size = (_, texts) => roomFor(texts);
    if (axis.names) return { ...options, ...namedAxis(axis, side) };
    if (axis.scale !== "log") return options;
    const named = (plot, ticks, index) => {
        const { min, max } = plot.scales[index === 0 ? "x" : "y"];
        const isNamed = (tick) => isNarrow(min, max) || logTickIsNamed(tick, min, max);
        return ticks.map((tick) => (isNamed(tick) ? tick : null));
    };
    const most = ({ width, height }) => (side === 2 ? width : height) / options.space;
    return {
        ...options,
        splits: (plot, _, from, to) =>
            isNarrow(from, to) ? narrowTicks(from, to, most(plot)) : logTicks(from, to),
        filter: named,
        grid: { ...options.grid, filter: named },
        ticks: { ...options.ticks, filter: (_, ticks) => ticks },
        values: (plot, ticks, index) => {
            const { min, max } = plot.scales[index === 0 ? "x" : "y"];
            const texts = isNarrow(min, max) && min >= 1e-5 ? writtenTicks(ticks) : writtenLogTicks(ticks);
            const isLeast = (tick) => tick !== null && axis.least !== undefined && tick <= axis.least;
            return texts.map((text, place) => (isLeast(ticks[place]) ? `<${text}` : text));
        },
    };
}
