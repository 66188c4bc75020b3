// The plots: smoke around the median of each target, the events above it, the load below it.

const CAUSES = {
    own_upload: ["own upload", "curve-1"],
    own_download: ["own download", "curve-6"],
    own_machine: ["this machine", "curve-7"],
    wireless: ["Wi-Fi", "curve-3"],
    router: ["router", "curve-5"],
    line: ["line", "curve-0"],
    target: ["one target", "curve-2"],
    slots: ["slots", "curve-4"],
    unknown: ["not known", "muted"],
};
// The part of the probes that nobody answered, and the colour of the median from there on.
const LOSSES = [
    [0, "all answered", "curve-2"],
    [1e-9, "up to 2 % unanswered", "curve-5"],
    [0.02, "up to 10 %", "curve-6"],
    [0.1, "more", "bad"],
];
const LATE = "curve-3";
const TEST = "text";
const SMOKE = [
    ["min_ms", "max_ms", 0.12],
    ["p10_ms", "p90_ms", 0.2],
    ["p25_ms", "p75_ms", 0.34],
];

const lossColour = (part) => LOSSES.filter(([from]) => part >= from).at(-1)[2];

// A part of the probes that nobody answered: two digits, as in the tables.
function lossText(part) {
    const percent = 100 * part;
    const decimals = percent === 0 || percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : percent >= 0.0995 ? 2 : 3;
    return `${percent.toFixed(decimals)}\u00a0%`;
}

// The steps of a layer that lie in a part, and one on each side.
function stepsIn(layer, [from, to]) {
    const first = Math.max(0, Math.floor((from - layer.from_s) / layer.step_s));
    const behind = Math.min(layer.up_mbit.length, Math.ceil((to - layer.from_s) / layer.step_s) + 1);
    return [first, behind];
}

const axisStyle = () => ({
    font: AXIS_FONT,
    stroke: () => ink.muted,
    grid: { stroke: () => ink.grid, width: 1 },
    ticks: { stroke: () => ink.grid, size: 4 },
});

// Seconds between two ticks of an axis of times.
const TIME_STEPS = [
    ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
    ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
    ...[1, 2, 3, 4, 6, 12].map((hours) => hours * 3600),
    ...[1, 2, 5, 10, 30, 60, 90, 180, 365].map((days) => days * 86400),
];
// Times along an axis: no finer than its ticks.
const DAY_FORMAT = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const MONTH_FORMAT = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric" });
const MINUTE_FORMAT = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const SECOND_FORMAT = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
function timeTicks(_, ticks, __, ___, step) {
    const format = step < 60 ? SECOND_FORMAT : step < 86400 ? MINUTE_FORMAT : step < 28 * 86400 ? DAY_FORMAT : MONTH_FORMAT;
    return ticks.map((tick) => {
        const date = new Date(tick * 1000);
        const isMidnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
        return (isMidnight && format === MINUTE_FORMAT ? DAY_FORMAT : format).format(date);
    });
}

// Round numbers along a logarithmic axis: 1, 2, 5, 10 ..., or only powers of ten where these are many.
function logSplits(_, __, low, high) {
    const decades = Math.log10(high / low);
    const marks = decades > 3 ? [1] : [1, 2, 5];
    const splits = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
        splits.push(...marks.map((mark) => Number((mark * 10 ** power).toPrecision(1))));
    return splits.filter((split) => split >= low && split <= high);
}

class TimePlot {
    constructor(title, kind) {
        this.note = element("small", "");
        this.frame = element("div", "plot");
        this.host = element("figure", `smoke ${kind}`, element("h2", "", title, this.note), this.frame);
        this.box = element("div", "box");
        this.box.hidden = true;
        this.frame.append(this.box);
    }

    draw(watch, yAxis, yScale) {
        this.watch = watch;
        const fixed = (_, min, max) => [min, max];
        const options = {
            width: this.frame.clientWidth,
            height: this.frame.clientHeight,
            // On the right, half of a label of the time axis.
            padding: [6, 26, 0, 0],
            legend: { show: false },
            series: [{}, { auto: false, paths: () => null, points: { show: false } }],
            scales: { x: { time: true, range: fixed }, y: { auto: false, range: fixed, ...yScale } },
            axes: [
                { size: 26, space: 72, incrs: TIME_STEPS, values: timeTicks, ...axisStyle() },
                { size: 52, ...axisStyle(), ...yAxis },
            ],
            cursor: { y: false, points: { show: false }, drag: { x: true, y: false, dist: 6, setScale: false }, bind: { dblclick: () => () => watch.zoomOut() } },
            hooks: {
                draw: [() => this.paint(this.uplot.ctx)],
                setSelect: [() => this.select()],
                setCursor: [() => this.point()],
            },
        };
        this.uplot = new uPlot(options, [watch.view, [null, null]], this.frame);
        const canvas = this.frame.querySelector("canvas");
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", this.host.querySelector("h2").textContent);
        new ResizeObserver(() => this.fit()).observe(this.frame);
    }

    fit() {
        const [width, height] = [this.frame.clientWidth, this.frame.clientHeight];
        if (width > 0 && (width !== this.uplot.width || height !== this.uplot.height))
            this.uplot.setSize({ width, height });
    }

    show(view) {
        const [low, high] = this.reach(view);
        this.uplot.batch(() => {
            this.uplot.setScale("x", { min: view[0], max: view[1] });
            this.uplot.setScale("y", { min: low, max: high });
        });
        this.uplot.redraw(false);
    }

    select() {
        const { left, width } = this.uplot.select;
        if (width <= 0) return;
        const part = [left, left + width].map((place) => this.uplot.posToVal(place, "x"));
        this.uplot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        this.watch.zoom(part);
    }

    // The cursor moved here, or left; the other plots follow.
    point() {
        const { left } = this.uplot.cursor;
        const at = left < 0 ? null : this.uplot.posToVal(left, "x");
        const rows = at === null ? [] : this.rowsAt(at);
        this.box.hidden = !rows.length;
        if (rows.length) {
            this.box.replaceChildren(element("div", "row head", element("span", "name", whenText(at))), ...rows);
            const room = this.frame.clientWidth - this.box.offsetWidth - 4;
            const place = left + this.uplot.bbox.left / devicePixelRatio + 14;
            this.box.style.left = `${Math.max(0, place > room ? place - this.box.offsetWidth - 28 : place)}px`;
            this.box.style.top = "4px";
        }
        for (const plot of this.watch.plots)
            if (plot !== this && plot.uplot) {
                plot.box.hidden = true;
                const other = at === null ? -10 : plot.uplot.valToPos(at, "x");
                plot.uplot.setCursor({ left: other, top: at === null ? -10 : 0 }, false);
            }
    }

    // Times without observation are grey, changes a line through all plots.
    paintEvents(context) {
        const { top, height, left, width } = this.uplot.bbox;
        context.save();
        context.beginPath();
        context.rect(left, top, width, height);
        context.clip();
        for (const event of page.events) {
            const from = this.uplot.valToPos(event.start_s, "x", true);
            const to = this.uplot.valToPos(event.start_s + event.duration_s, "x", true);
            if (event.event === "gap") {
                context.fillStyle = ink.grid;
                context.fillRect(from, top, Math.max(to - from, 1), height);
            } else if (event.event === "change") {
                context.strokeStyle = ink.muted;
                context.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
                context.lineWidth = devicePixelRatio;
                context.beginPath();
                context.moveTo(from, top);
                context.lineTo(from, top + height);
                context.stroke();
                context.setLineDash([]);
            }
        }
        this.paintInside(context);
        context.restore();
    }

    paint(context) {
        this.paintEvents(context);
    }
}

const row = (name, value) =>
    element("div", "row", element("span", "name", name), element("span", "value", value));

const DATE_AND_TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const whenText = (seconds) => DATE_AND_TIME.format(new Date(seconds * 1000));

class SmokePlot extends TimePlot {
    constructor(index) {
        super(page.drawn[index].name, "target");
        this.host.id = `target-${page.drawn[index].id}`;
        this.index = index;
    }

    steps() {
        return this.watch.layer.targets[this.index];
    }

    reach(view) {
        const [first, behind] = stepsIn(this.watch.layer, view);
        const steps = this.steps();
        let [low, high, sent, lost, late, extra] = [Infinity, 0, 0, 0, 0, 0];
        for (let i = first; i < behind; i++) {
            // Extra probes, which single seconds have, would weigh late answers more.
            extra += steps.extra[i] ?? 0;
            sent += steps.sent[i] - (steps.extra[i] ?? 0);
            lost += (steps.lost[i] ?? 0) - (steps.extra_lost[i] ?? 0);
            late += (steps.late[i] ?? 0) - (steps.extra_late[i] ?? 0);
            if (steps.p50_ms[i] === null) continue;
            low = Math.min(low, steps.min_ms[i]);
            high = Math.max(high, steps.max_ms[i]);
        }
        const more = `${late ? ` · ${written(late)} answered after 1 s` : ""}${extra ? ` · ${written(extra)} extra probes` : ""}`;
        const probes = `${written(sent)} probes · ${lossText(lost / sent)} unanswered${more}`;
        this.note.textContent = `round trip in ms · ${sent ? probes : "no probes"}`;
        if (!(low <= high)) return [1, 10];
        return [Math.max(low * 0.8, 0.01), Math.max(high * 1.25, low * 2)];
    }

    paintInside(context) {
        const { layer, view } = this.watch;
        const steps = this.steps();
        const [first, behind] = stepsIn(layer, view);
        const { top, height } = this.uplot.bbox;
        const x = (at) => this.uplot.valToPos(at, "x", true);
        const y = (ms) => this.uplot.valToPos(Math.max(ms, 1e-3), "y", true);
        const ratio = devicePixelRatio;
        for (let i = first; i < behind; i++) {
            if (!steps.sent[i]) continue;
            const left = x(layer.from_s + i * layer.step_s);
            const width = Math.max(x(layer.from_s + (i + 1) * layer.step_s) - left, ratio);
            if (steps.p50_ms[i] !== null) {
                for (const [low, high, alpha] of SMOKE) {
                    context.globalAlpha = alpha;
                    context.fillStyle = ink.smoke;
                    const above = y(steps[high][i]);
                    context.fillRect(left, above, width, Math.max(y(steps[low][i]) - above, 0));
                }
                context.globalAlpha = 1;
                context.fillStyle = named(lossColour((steps.lost[i] ?? 0) / steps.sent[i]));
                context.fillRect(left, y(steps.p50_ms[i]) - ratio, width, 2 * ratio);
            } else {
                context.fillStyle = named("bad");
                context.fillRect(left, top + height - 6 * ratio, width, 6 * ratio);
            }
            if (steps.late[i]) {
                context.fillStyle = named(LATE);
                context.fillRect(left, top, Math.max(width, 2 * ratio), 5 * ratio);
            }
        }
    }

    rowsAt(at) {
        const { layer } = this.watch;
        const i = Math.floor((at - layer.from_s) / layer.step_s);
        const steps = this.steps();
        if (!steps.sent[i]) return [];
        const ms = (value) => (value === null ? "no answer" : `${written(value)} ms`);
        const range = (low, high) => (steps[low][i] === null ? "\u2013" : `${written(steps[low][i])} to ${written(steps[high][i])} ms`);
        return [
            row("median", ms(steps.p50_ms[i])),
            row("half of them", range("p25_ms", "p75_ms")),
            row("all", range("min_ms", "max_ms")),
            row("probes", `${written(steps.sent[i])}, ${written(steps.late[i] ?? 0)} answered after 1 s, ${written(steps.lost[i] ?? 0)} unanswered`),
        ];
    }
}

class LoadPlot extends TimePlot {
    constructor() {
        super("Load of this machine's interface", "load");
        this.host.id = "load";
        const entry = (name, colour) => element("span", "", swatch(colour), name);
        this.note.append("Mbit/s \u00b7 ", entry("download", "curve-0"), " ", entry("upload", "curve-1"));
    }

    reach(view) {
        const { layer } = this.watch;
        const [first, behind] = stepsIn(layer, view);
        let high = 0;
        for (let i = first; i < behind; i++) high = Math.max(high, layer.up_mbit[i] ?? 0, layer.down_mbit[i] ?? 0);
        return [0, high * 1.08 || 1];
    }

    paintInside(context) {
        const { layer, view } = this.watch;
        const [first, behind] = stepsIn(layer, view);
        for (const [name, colour] of [["down_mbit", "curve-0"], ["up_mbit", "curve-1"]]) {
            context.beginPath();
            let isDown = false;
            for (let i = first; i < behind; i++) {
                const value = layer[name][i];
                if (value === null) {
                    isDown = false;
                    continue;
                }
                const [from, to] = [i, i + 1].map((n) => this.uplot.valToPos(layer.from_s + n * layer.step_s, "x", true));
                const y = this.uplot.valToPos(value, "y", true);
                if (isDown) context.lineTo(from, y);
                else context.moveTo(from, y);
                context.lineTo(to, y);
                isDown = true;
            }
            context.strokeStyle = named(colour);
            context.lineWidth = 1.5 * devicePixelRatio;
            context.stroke();
        }
    }

    rowsAt(at) {
        const { layer } = this.watch;
        const i = Math.floor((at - layer.from_s) / layer.step_s);
        const rate = (value) => (value === null || value === undefined ? "not known" : `${written(value)} Mbit/s`);
        if (!(i >= 0 && i < layer.up_mbit.length)) return [];
        return [row("download", rate(layer.down_mbit[i])), row("upload", rate(layer.up_mbit[i]))];
    }
}

// A bar for each spike in the colour of its cause, and a lower one for each test.
class EventLane extends TimePlot {
    constructor() {
        super("Events", "lane");
    }

    reach() {
        return [0, 1];
    }

    paintInside(context) {
        const { top, height } = this.uplot.bbox;
        const ratio = devicePixelRatio;
        for (const event of page.events) {
            const from = this.uplot.valToPos(event.start_s, "x", true);
            const to = this.uplot.valToPos(event.start_s + event.duration_s, "x", true);
            if (event.event === "spike") {
                context.fillStyle = named(CAUSES[event.cause][1]);
                context.fillRect(from, top + height * 0.25, Math.max(to - from, 3 * ratio), height * 0.6);
            } else if (event.event === "test") {
                // Lower than a spike, of which it may be a part.
                context.fillStyle = named(TEST);
                context.fillRect(from, top + height * 0.4, Math.max(to - from, 3 * ratio), height * 0.3);
            }
        }
    }

    rowsAt(at) {
        const near = (4 * (this.watch.view[1] - this.watch.view[0])) / this.frame.clientWidth;
        const here = (event) => at >= event.start_s - near && at <= event.start_s + event.duration_s + near;
        const texts = page.events.filter(here).slice(0, 4);
        const said = ({ text, cause, event }) => text || (cause ? `spike: ${CAUSES[cause][0]}` : event);
        return texts.map((event) => element("div", "row", element("span", "said", ...sentence(said(event)))));
    }
}

// The text with what is between backticks as code; a backtick without a partner stays.
function sentence(text) {
    const pieces = text.split("`");
    if (pieces.length % 2 === 0) return [text];
    return pieces.map((piece, index) => (index % 2 ? element("code", "", piece) : piece));
}

function swatch(colour) {
    const made = element("i", "");
    if (colour === "dashes") made.className = colour;
    else made.style.background = `var(--${colour})`;
    return made;
}

// The colour of this name on the page as it is now.
const colours = new Map();
function named(name) {
    if (!colours.has(name)) colours.set(name, colour(name));
    return colours.get(name);
}
