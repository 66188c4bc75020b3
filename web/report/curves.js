// What is known of curves before they are drawn: who shares a colour, how far they reach, which
// value is where.

// One entry a name: its curves, its colour, whether it is shown. On the whole page a name keeps its
// key, which `keys` remembers, or the one that it asks for; a new one, or one whose key another in this figure has, gets the
// first that is free here. As many keys as there are colours, then the same dashed.
function entriesOf(figure, keys) {
    const byName = new Map();
    for (const curve of figure.curves.filter((curve) => !isAid(curve))) {
        if (!byName.has(curve.name)) byName.set(curve.name, []);
        byName.get(curve.name).push(curve);
        if (curve.key !== undefined) keys.set(curve.name, curve.key);
    }
    const taken = new Map();
    for (const name of byName.keys()) {
        const key = keys.get(name);
        if (key !== undefined && !taken.has(key)) taken.set(key, name);
    }
    return [...byName].map(([name, curves]) => {
        let key = keys.get(name);
        if (key === undefined || taken.get(key) !== name) {
            for (key = 0; taken.has(key); key++);
            taken.set(key, name);
            keys.set(name, key);
        }
        const dashed = key >= curveColours;
        return { name, curves, ink: key % curveColours, dashed, shown: true };
    });
}

function drawable(value, scale) {
    return value !== null && value !== undefined && (scale === "linear" || value > 0);
}

// The first index whose x is not below `x`.
function firstFrom(curve, x) {
    let [low, high] = [0, curve.x.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (curve.x[middle] < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The first index whose x is above `x`.
function firstBehind(curve, x) {
    let index = firstFrom(curve, x);
    while (curve.x[index] === x) index++;
    return index;
}

// The least and the largest of what `values` yields.
function extent(values) {
    let [least, most] = [Infinity, -Infinity];
    for (const value of values) {
        if (value < least) least = value;
        if (value > most) most = value;
    }
    return least <= most ? [least, most] : null;
}

function* drawnX(curves, scale) {
    const isCloud = curves.some((curve) => curve.mark === "points");
    for (const curve of curves) {
        if (curve.mark === "ellipse" && !isCloud)
            yield* edge(curve, { x: scale, y: "linear" }).map(([x]) => x);
        // They ascend.
        const first = scale === "log" ? curve.x.find((x) => x > 0) : curve.x[0];
        if (first === undefined) continue;
        yield* [first, curve.x.at(-1)];
        // A run begins and ends half a step away.
        if (scale === "linear" && inMiddles(curve)) yield* [0, curve.x.at(-1) + first];
    }
}

// Whether values stand in the middle of steps, the first of which begins at 0.
function inMiddles({ mark, x }) {
    const step = x.length > 1 ? x[1] - x[0] : 2 * x[0];
    return mark === "line" && x[0] > 0 && Math.abs(2 * x[0] - step) <= 1e-6 * step;
}

// What curves show in a part of the plot; an ellipse around dots reaches hardly further than they.
function* drawnY(curves, scales, [from, to]) {
    const scale = scales.y;
    const isCloud = curves.some((curve) => curve.mark === "points");
    for (const curve of curves) {
        if (curve.mark === "ellipse" && !isCloud) yield* edge(curve, scales).map(([, y]) => y);
        let first = firstFrom(curve, from);
        let behind = firstBehind(curve, to);
        // Where no value is in sight, a line between those beside may be; a step holds on.
        if (first === behind || curve.mark === "steps") first = Math.max(0, first - 1);
        if (first === behind - 1) behind = Math.min(curve.x.length, behind + 1);
        for (let i = first; i < behind; i++) {
            if (drawable(curve.y[i], scale)) yield curve.y[i];
            if (curve.low && drawable(curve.low[i], scale)) yield curve.low[i];
            if (curve.five) yield* curve.five[i].filter((value) => drawable(value, scale));
            if (curve.beyond) yield* curve.beyond[i].filter((value) => drawable(value, scale));
        }
    }
}

// Where the value is that a curve has at `x`: of steps the last, of lines the nearest; null beyond
// its ends.
function valueAt(curve, x, tolerance) {
    if (!curve.x.length || x < curve.x[0] - tolerance || x > curve.x.at(-1) + tolerance)
        return null;
    const next = Math.min(firstFrom(curve, x), curve.x.length - 1);
    const before = Math.max(0, next - 1);
    const nearer =
        curve.mark === "steps" ? curve.x[next] > x : x - curve.x[before] < curve.x[next] - x;
    return nearer ? before : next;
}
