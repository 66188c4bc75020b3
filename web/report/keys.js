// A plot by keyboard: its cursor is a slider, whose value is what the box at the cursor says. Arrows move it, as far
// as a mouse would go in a moment; plus and minus show less or more of the time around it.

// The steps from one side of a plot to the other.
const STEPS_ACROSS = 50;

function keysOf(plot) {
    const { over } = plot.uplot;
    over.tabIndex = 0;
    over.setAttribute("role", "slider");
    over.setAttribute("aria-label", `Values of ${plot.figure.title}`);
    over.setAttribute("aria-description", "Arrows move the cursor. Plus and minus zoom. Escape takes the cursor away.");
    over.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const action = KEYS[event.key];
        if (!action) return;
        event.preventDefault();
        action(plot);
        plot.isByKeys = true;
        tell(plot);
    });
    // A mouse takes the cursor over, and the focus later: what it has begun by then must not be disturbed.
    over.addEventListener("mousemove", () => (plot.isByKeys = false));
    over.addEventListener("blur", () => {
        if (plot.isByKeys) hideCursor(plot);
    });
    tell(plot);
}

const KEYS = {
    ArrowLeft: (plot) => moveCursor(plot, -1, 0),
    ArrowRight: (plot) => moveCursor(plot, 1, 0),
    ArrowUp: (plot) => moveCursor(plot, 0, -1),
    ArrowDown: (plot) => moveCursor(plot, 0, 1),
    Home: (plot) => moveCursor(plot, -Infinity, 0),
    End: (plot) => moveCursor(plot, Infinity, 0),
    "+": (plot) => zoomAround(plot, 0.25),
    "-": (plot) => zoomAround(plot, 1),
    Escape: hideCursor,
};

// Where the cursor is; in the middle before it was moved.
function cursorOf({ uplot: { cursor, over } }) {
    const isShown = cursor.left >= 0;
    return isShown ? [cursor.left, cursor.top] : [over.clientWidth / 2, over.clientHeight / 2];
}

function moveCursor(plot, across, down) {
    const { uplot } = plot;
    const { clientWidth: width, clientHeight: height } = uplot.over;
    const [left, top] = cursorOf(plot);
    const step = width / STEPS_ACROSS;
    const within = (at, most) => Math.min(most, Math.max(0, at));
    uplot.setCursor({ left: within(left + across * step, width), top: within(top + down * step, height) });
}

function hideCursor({ uplot }) {
    uplot.setCursor({ left: -10, top: -10 });
}

// Shows what lies so many widths of the plot to the left and to the right of the cursor.
function zoomAround(plot, reach) {
    if (plot.map) return;
    const { uplot, whole } = plot;
    const [left] = cursorOf(plot);
    const side = reach * uplot.over.clientWidth;
    const [from, to] = [left - side, left + side].map((at) => uplot.posToVal(at, "x"));
    plot.zoom({ x: [Math.max(whole[0], from), Math.min(whole[1], to)], y: null });
    moveCursor(plot, 0, 0);
}

// What a screen reader says of the cursor.
function tell(plot) {
    const { over, cursor } = plot.uplot;
    const said = ({ childNodes }) => [...childNodes].map((it) => it.textContent).filter(Boolean).join(" ");
    const text = plot.box.hidden ? "no value" : [...plot.box.children].map(said).join(", ");
    const percent = Math.round((100 * Math.max(0, cursor.left)) / Math.max(1, over.clientWidth));
    over.setAttribute("aria-valuemin", 0);
    over.setAttribute("aria-valuemax", 100);
    over.setAttribute("aria-valuenow", percent);
    over.setAttribute("aria-valuetext", text);
}
