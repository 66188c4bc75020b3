// One figure: uPlot has the axes, the cursor and the zoom; curves, legend and box are ours.

class Plot {
    // `group` are the plots that are zoomed and pointed at together; `keys` see entriesOf.
    constructor(figure, host, group, keys) {
        this.figure = figure;
        this.group = group;
        this.entries = entriesOf(figure, keys);
        this.scales = { x: figure.x.scale, y: figure.y.scale };
        this.cloud = figure.curves
            .filter((curve) => !isAid(curve))
            .every(({ mark }) => mark === "points" || mark === "ellipse");
        this.map = mapOf(figure);
        this.host = host;
        this.toggle = smooth(this);
        this.frame = host.querySelector(".plot");
        this.box = element("div", "box");
        this.box.hidden = true;
        if (figure.y.names) this.frame.style.height = `${this.heightOfRows()}px`;
    }

    // A map is as high as its rows need.
    heightOfRows() {
        return Math.min(660, Math.max(180, 30 * this.figure.y.names.length + 60));
    }

    // After all plots of the group are known: they show the same part.
    draw() {
        this.below = this.host.querySelector(":scope > .values");
        const reach = extent(
            this.group.flatMap((plot) => [...drawnX(plot.figure.curves, plot.scales.x)]),
        );
        this.whole = this.wholeX(reach);
        this.view = { x: this.whole, y: null };
        this.uplot = new uPlot(this.options(), [this.whole, [null, null]], this.frame);
        this.dots = element("div", "marks");
        this.uplot.over.append(this.dots);
        this.frame.append(this.box);
        if (this.map) this.host.querySelector(".y-label").before(colourBar(this.map));
        this.reset = button("Reset zoom", () => this.zoomOut());
        this.reset.setAttribute("aria-label", `Reset zoom: ${this.figure.title}`);
        this.addTools();
        if (this.figure.curves.some((curve) => curve.packets)) packetFilter(this);
        this.canvasIsAnImage();
        keysOf(this);
        this.show(this.view);
        new ResizeObserver(() => this.fit()).observe(this.frame);
    }

    // Legend and buttons; a panel is named above, and its data is saved with that of the others.
    addTools() {
        if (this.figure.all) {
            this.host.append(this.reset);
            return;
        }
        this.host.insertBefore(legend(this.entries, () => this.show(this.view)), this.below);
        this.host.querySelector(".tools").append(
            this.reset,
            ...(this.toggle ? [this.toggle] : []),
            saveButton(this.figure),
        );
    }

    // A cloud needs room at its sides; what several plots share ends at round numbers.
    wholeX(reach) {
        const scale = this.scales.x;
        const { x } = this.figure;
        if (x.names) return [-0.5, x.names.length - 0.5];
        if (boxesOf(this.figure).length) return this.withSides(reach);
        const alone = this.cloud && this.group.length === 1;
        const one = reach && reach[0] === reach[1] && scale === "linear";
        return !reach || alone || one ? roomy(reach, scale, 0.06) : whole(reach, scale);
    }

    // Room for half a box at both ends.
    withSides([least, most]) {
        const isLog = this.scales.x === "log";
        const side = halfGap(this.figure, isLog ? Math.log10 : (value) => value);
        if (isLog) return [least / 10 ** side, most * 10 ** side];
        return side ? [least - side, most + side] : roomy([least, most], "linear", 0.5);
    }

    options() {
        const fixed = (_, min, max) => [min, max];
        const distr = (scale) => (scale === "log" ? 3 : 1);
        return {
            ...this.firstSize(),
            // The number at the right end of the axis reaches beyond it; above are names of parts.
            padding: [() => this.roomAbove(), 24, 0, 0],
            legend: { show: false },
            series: [{}, { auto: false, paths: () => null, points: { show: false } }],
            scales: {
                x: { time: false, distr: distr(this.scales.x), range: fixed },
                y: {
                    auto: false,
                    distr: distr(this.scales.y),
                    range: (_, min, max) => (min === null ? this.reachY() : [min, max]),
                },
            },
            axes: [
                {
                    size: 34,
                    ...axisOptions(this.figure.x, 2),
                    label: axisTitle(this.figure.x),
                    labelFont: AXIS_FONT,
                    labelSize: 18,
                    labelGap: 0,
                },
                axisOptions(this.figure.y, 3),
            ],
            cursor: {
                y: this.cloud || Boolean(this.map),
                points: { show: false },
                drag: {
                    x: !this.map,
                    y: this.cloud,
                    uni: this.cloud ? 24 : null,
                    dist: 6,
                    setScale: false,
                },
                bind: { dblclick: () => () => this.zoomOut() },
            },
            hooks: {
                draw: [() => this.paint()],
                setSelect: [() => this.zoomToSelection()],
                setCursor: [() => this.follow()],
            },
        };
    }

    // For the numbers of the axis or, above it, for the lines with the names of parts.
    roomAbove() {
        if (!this.figure.curves.some(isAid)) return 8;
        const lines = Math.max(1, ...spanNames(this).map(({ line }) => line + 1));
        return 8 + 14 * lines;
    }

    size() {
        return { width: this.frame.clientWidth, height: this.frame.clientHeight };
    }

    // A folded plot has no size before it is unfolded.
    firstSize() {
        const { width, height } = this.size();
        return { width: width || 640, height: height || 336 };
    }

    fit() {
        const { width, height } = this.size();
        if (width > 0 && (width !== this.uplot.width || height !== this.uplot.height))
            this.uplot.setSize({ width, height });
    }

    shownCurves() {
        const shown = this.entries.filter((entry) => entry.shown);
        return [...this.figure.curves.filter(isAid), ...shown.flatMap((entry) => entry.curves)];
    }

    reachY() {
        const { names } = this.figure.y;
        if (names) return [-0.5, names.length - 0.5];
        const curves = this.figure.all ?? this.shownCurves();
        const reach = extent(drawnY(curves, this.scales, this.view.x));
        const places = this.figure.curves.some(({ mark }) => mark === "ellipse" || mark === "box");
        const [low, high] = (places ? tight : roomy)(reach, this.scales.y, 0.06);
        // Nothing is drawn below the least value.
        return [Math.max(low, 0.9 * (this.figure.y.least ?? -Infinity)), high];
    }

    // Shows a part of the whole; `y` null is as much as the curves need.
    show(view) {
        this.view = view;
        const [x, y] = [view.x, view.y ?? this.reachY()];
        this.uplot.batch(() => {
            this.uplot.setScale("x", { min: x[0], max: x[1] });
            this.uplot.setScale("y", { min: y[0], max: y[1] });
        });
        this.reset.hidden = x[0] === this.whole[0] && x[1] === this.whole[1] && !view.y;
        // For whoever looks from outside: which part is on the screen.
        this.frame.dataset.x = x.join(" ");
        this.frame.dataset.y = y.join(" ");
    }

    zoom(view) {
        for (const plot of this.group) plot.show(plot === this ? view : { ...view, y: null });
    }

    zoomOut() {
        this.zoom({ x: this.whole, y: null });
    }

    zoomToSelection() {
        const { left, top, width, height } = this.uplot.select;
        if (width <= 0 || height <= 0) return;
        const value = (position, scale) => this.uplot.posToVal(position, scale);
        const upright = height < this.uplot.over.clientHeight - 1;
        const x = [value(left, "x"), value(left + width, "x")];
        const y = upright ? [value(top + height, "y"), value(top, "y")] : null;
        this.uplot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        this.zoom({ x, y });
    }

    // The cursor moved here, or left; the others of the group follow.
    follow() {
        const { left, top } = this.uplot.cursor;
        const gone = left < 0;
        if (this.map) return this.followOnMap(gone ? null : fieldAt(this, left, top), left);
        const x = gone ? null : this.uplot.posToVal(left, "x");
        const rows = gone ? [] : this.cloud ? nearestPoint(this, left, top) : valuesAt(this, x);
        this.dots.replaceChildren(...dotsAt(this, rows));
        this.box.hidden = !rows.length;
        if (rows.length) {
            this.box.replaceChildren(
                ...hoverBox(this, rows, this.cloud ? rows[0].curve.x[rows[0].index] : x),
            );
            placeBox(this.box, this, left);
        }
        for (const plot of this.group) if (plot !== this && plot.uplot) plot.pointAt(x);
    }

    followOnMap(field, left) {
        this.box.hidden = !field;
        if (!field) return;
        this.box.replaceChildren(...fieldBox(this, field));
        placeBox(this.box, this, left);
    }

    pointAt(x) {
        this.isByKeys = false;
        const left = x === null ? -10 : this.uplot.valToPos(x, "x");
        this.uplot.setCursor({ left, top: x === null ? -10 : 0 }, false);
        this.dots.replaceChildren(...(x === null ? [] : dotsAt(this, valuesAt(this, x))));
        this.box.hidden = true;
    }

    paint() {
        const { ctx: context, bbox } = this.uplot;
        const place = {
            x: (value) => this.uplot.valToPos(value, "x", true),
            y: (value) => this.uplot.valToPos(value, "y", true),
            scales: this.scales,
            view: this.view,
            frame: bbox,
            faint: this.figure.curves.some((curve) => curve.mark === "ellipse"),
        };
        place.boxes = boxLayout(this.figure, place.x, bbox.width, devicePixelRatio);
        paintOthers(context, this, place, devicePixelRatio);
        paintSpanNames(context, this, place, devicePixelRatio);
        place.names = [];
        for (const curve of this.figure.curves) {
            if (isAid(curve)) {
                paintAid(context, curve, place, devicePixelRatio);
                continue;
            }
            const entry = this.entries.find((entry) => entry.name === curve.name);
            const pen = {
                colour: ink.curves[entry.ink],
                dashed: entry.dashed,
                ratio: devicePixelRatio,
            };
            if (entry.shown) paint(context, curve, place, pen);
        }
        paintGuideNames(context, place, devicePixelRatio);
    }

    canvasIsAnImage() {
        const canvas = this.frame.querySelector("canvas");
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", `${this.figure.title}. ${this.figure.explanation}`);
    }
}
