// A page on paper, which is white, and narrower than most screens.

function printWell(plots, recolour) {
    let theme;
    let unfolded = [];
    const change = (toPaper) => {
        if (toPaper) theme = root.dataset.theme;
        root.classList.toggle("paper", toPaper);
        const wanted = toPaper ? "light" : theme;
        if (wanted) root.dataset.theme = wanted;
        else delete root.dataset.theme;
        if (toPaper) unfolded = [...document.querySelectorAll(".details > details:not([open])")];
        for (const it of unfolded) it.open = toPaper;
        for (const plot of plots) plot.fit();
        recolour();
        // At once: Firefox copies the page before what uPlot has put off.
        for (const plot of plots) plot.uplot.batch(() => {});
    };
    addEventListener("beforeprint", () => change(true));
    addEventListener("afterprint", () => {
        change(false);
        // Firefox may still lay out for paper.
        requestAnimationFrame(() => plots.forEach((plot) => plot.fit()));
    });
}
