// The page of a watch: ranges, plots, and news of a live watch.

const MINUTE = 60,
    HOUR = 60 * MINUTE,
    DAY = 24 * HOUR;
const RANGES = [
    ["10 min", 10 * MINUTE],
    ["hour", HOUR],
    ["6 hours", 6 * HOUR],
    ["day", DAY],
    ["week", 7 * DAY],
    ["month", 31 * DAY],
    ["year", 366 * DAY],
    ["all", Infinity],
];
// The time between two questions for news, in milliseconds.
const NEWS = 5000;

class Watch {
    constructor() {
        this.follows = true;
        this.length = isLive ? HOUR : Infinity;
        this.view = this.lastRange(this.length);
        this.layer = layerFor(this.view);
        this.plots = [new EventLane(), ...page.drawn.map((_, index) => new SmokePlot(index)), new LoadPlot()];
    }

    lastRange(length) {
        return [Math.max(page.to_s - length, page.from_s), page.to_s];
    }

    draw() {
        const place = document.getElementById("plots");
        place.append(...this.plots.map((plot) => plot.host), legendOfSmoke());
        const ms = { values: (_, ticks) => ticks.map((tick) => written(tick)) };
        for (const plot of this.plots) {
            if (plot instanceof EventLane) plot.draw(this, { show: true, splits: () => [], values: () => [] }, {});
            else if (plot instanceof SmokePlot) plot.draw(this, { ...ms, splits: logSplits, filter: (_, splits) => splits }, { distr: 3, log: 10 });
            else plot.draw(this, ms, {});
        }
        this.buttons();
        this.show(this.view);
    }

    buttons() {
        const nav = document.querySelector(".ranges");
        const whole = page.to_s - page.from_s;
        const useful = RANGES.filter(([, length], i) => length === Infinity || whole > (RANGES[i - 1]?.[1] ?? 0));
        this.ranges = useful.map(([name, length]) => {
            const made = button(name, () => {
                this.length = length;
                this.follows = true;
                this.show(this.lastRange(length));
            });
            made.length = length;
            return made;
        });
        this.shown = element("span", "shown");
        this.shown.setAttribute("aria-live", "polite");
        nav.append(...this.ranges, this.shown);
    }

    async show(view) {
        const least = 2;
        const middle = (view[0] + view[1]) / 2;
        this.view = view[1] - view[0] < least ? [middle - least / 2, middle + least / 2] : view;
        this.layer = layerFor(this.view);
        this.paint();
        if (isLive) await this.refine();
    }

    // A live page asks for finer steps than it has.
    async refine() {
        const [from, to] = this.view;
        const wanted = Math.max(1, (to - from) / 1200);
        const has = this.layer.step_s <= wanted * 2 && this.layer.from_s <= from + this.layer.step_s;
        if (!has || this.follows) await this.ask([from, to]);
    }

    async ask(part) {
        try {
            await fetchPart(part);
            this.layer = layerFor(this.view);
            this.paint();
            this.problem = "";
        } catch (error) {
            this.problem = ` \u00b7 no news: ${error.message}`;
        }
        this.say();
    }

    paint() {
        for (const plot of this.plots) plot.show(this.view);
        document.querySelector(".key.events").replaceChildren(...keyOfEvents());
        for (const made of this.ranges) {
            made.setAttribute("aria-pressed", `${this.follows && this.length === made.length}`);
        }
        this.say();
    }

    say() {
        this.shown.textContent = `${whenText(this.view[0])} to ${whenText(this.view[1])}${this.problem ?? ""}`;
        // For whoever looks from outside: which part is on the screen.
        document.getElementById("plots").dataset.x = this.view.join(" ");
    }

    zoom(view) {
        this.follows = false;
        this.show(view);
    }

    zoomOut() {
        const [from, to] = this.view;
        const side = 1.5 * (to - from);
        this.zoom([Math.max(page.from_s, from - side), Math.min(page.to_s, to + side)]);
    }

    async news() {
        if (!this.follows || document.hidden) return;
        const { length } = this;
        const now = Date.now() / 1000;
        await this.ask([length === Infinity ? page.from_s : now - length, now]);
        this.view = this.lastRange(length);
        this.layer = layerFor(this.view);
        this.paint();
    }
}

const entry = (colour, name) => element("li", "", swatch(colour), name);

// What the marks of events mean, as far as there are such events.
function keyOfEvents() {
    const kinds = new Set(page.events.map(({ event, cause }) => cause ?? event));
    const causes = Object.entries(CAUSES).filter(([cause]) => kinds.has(cause));
    const others = [["test", TEST, "test of this watch"], ["gap", "grid", "nothing observed"], ["change", "dashes", "change"]];
    return [
        ...causes.map(([, [name, colour]]) => entry(colour, `spike: ${name}`)),
        ...others.filter(([kind]) => kinds.has(kind)).map(([, colour, name]) => entry(colour, name)),
    ];
}

function legendOfSmoke() {
    const losses = LOSSES.map(([, name, colour]) => entry(colour, `median, ${name}`));
    return element(
        "div",
        "",
        element("ul", "key", ...losses, entry("muted", "smoke: all, 80 %, half of the answers"), entry(LATE, "answers after more than a second")),
        element("ul", "key events"),
    );
}

const watch = new Watch();
ink.smoke = colour("muted");
const recolour = () => {
    ink = { ...inks(), smoke: colour("muted") };
    colours.clear();
    for (const plot of watch.plots) plot.uplot.redraw(false);
};
document.querySelector("header").prepend(themeButton(recolour));
watch.draw();
// Each table of values stands below its plot.
for (const values of document.querySelectorAll("#values > *")) document.getElementById(values.dataset.valuesOf)?.append(values);
printWell(watch.plots, recolour);
overview();
heat();
if (isLive) setInterval(() => watch.news(), NEWS);
requestAnimationFrame(() => performance.mark("drawn"));
