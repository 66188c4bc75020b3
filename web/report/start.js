// Draws the figures of the page.

const figures = JSON.parse(document.getElementById("data").textContent);

// Plots over one and the same time, or of one clock, are zoomed and pointed at together, any other alone.
function plotAll() {
    const keys = new Map();
    const together = new Map();
    const oneClock = document.querySelector("main").dataset.oneClock === "true";
    const groupOf = ({ label, unit, scale, clock }, index) => {
        if (clock !== undefined) return `clock ${clock}`;
        return oneClock && label === "Time" ? `${unit} ${scale}` : index;
    };
    const plots = figures.flatMap((figure, index) => {
        const group = groupOf(figure.x, index);
        if (!together.has(group)) together.set(group, []);
        const host = document.getElementById(`figure-${index}`);
        const known = together.get(group);
        const made = figure.y.panels
            ? panelsOf(figure, host, known, keys)
            : [new Plot(figure, host, known, keys)];
        known.push(...made);
        return made;
    });
    for (const plot of plots) plot.draw();
    return plots;
}

const plots = plotAll();
const scene = queueScene();
const recolour = () => {
    ink = inks();
    for (const plot of plots) plot.uplot.redraw(false);
    scene?.recolour();
};
document.querySelector("header").prepend(themeButton(recolour));
for (const block of document.querySelectorAll(".commands")) copyButton(block);
printWell(plots, recolour);
requestAnimationFrame(() => performance.mark("drawn"));
