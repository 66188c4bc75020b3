// A page on paper, which is white, and narrower than most screens.

function printWell(plots, recolour) {
    let theme;
    const change = (toPaper) => {
        if (toPaper) theme = root.dataset.theme;
        root.classList.toggle("paper", toPaper);
        const wanted = toPaper ? "light" : theme;
        if (wanted) root.dataset.theme = wanted;
        else delete root.dataset.theme;
        for (const plot of plots) plot.fit();
        recolour();
        // At once: Firefox copies the page before what uPlot has put off.
        for (const plot of plots) plot.uplot.batch(() => {});
    };
    addEventListener("beforeprint", () => change(true));
    addEventListener("afterprint", () => change(false));
}
