// Small multiples: the curves of each name in a panel of their own, with the same axes in all, so that no
// curve hides another. The others are pale behind them.

function panelsOf(figure, host, group, keys) {
    const names = [...new Set(figure.curves.filter((curve) => !isAid(curve)).map(({ name }) => name))];
    // All names get their colours in the order of the figure.
    entriesOf(figure, keys);
    const aids = figure.curves.filter(isAid);
    const hosts = host.querySelectorAll(".panel");
    host.querySelector(".tools").append(saveButton(figure));
    return names.map((name, index) => {
        const own = figure.curves.filter((curve) => curve.name === name);
        const title = `${figure.title}: ${name}`;
        const panel = { ...figure, title, curves: [...aids, ...own], all: figure.curves };
        const plot = new Plot(panel, hosts[index], group, keys);
        const { ink } = plot.entries.find((entry) => entry.name === name);
        hosts[index].querySelector("h3").style.setProperty("--colour", `var(--curve-${ink})`);
        return plot;
    });
}

// The other curves of the figure, in grey and without values to point at.
function paintOthers(context, plot, place, ratio) {
    const pen = { colour: ink.grid, dashed: false, ratio };
    for (const curve of plot.figure.all ?? []) {
        if (isAid(curve) || plot.figure.curves.includes(curve)) continue;
        paint(context, { ...curve, low: undefined }, place, pen);
    }
}
