// All targets at a glance, a row each: grade, delay, loss, and a strip of both over time.

function overview() {
    const { rows } = page.overview;
    if (rows.length < 2) return;
    document.getElementById("overview").hidden = false;
    const list = document.querySelector(".ranks");
    const head = ["", "target", "later (ms)", "unanswered", ""].map((name) => element("span", "", name));
    list.append(element("li", "head", ...head), ...rows.map(rankOf));
    list.addEventListener("mousemove", ({ target, clientX }) => {
        const strip = target.closest(".strip");
        if (strip) strip.title = stripTitle(strip, clientX);
    });
}

function rankOf(row, index) {
    const grade = element("b", row.class, row.grade ?? "\u2013");
    grade.title = row.why;
    const strip = element("span", "strip");
    strip.row = index;
    strip.style.background = `${gradient(lossColours(row))} bottom / 100% 35% no-repeat, ${gradient(row.later_ms.map(heatColour))}`;
    const later = row.later_p95_ms === null ? "\u2013" : written(row.later_p95_ms);
    return element(
        "li",
        "",
        grade,
        nameOf(row),
        element("span", "", later),
        element("span", row.loss >= 0.02 ? "bad" : "", lossText(row.loss)),
        strip,
    );
}

// The name leads to the target's plot; of one that has none, a server draws it.
function nameOf({ id, name }) {
    const isDrawn = page.drawn.some((target) => target.id === id);
    if (!isDrawn && !isLive) return element("span", "name", name);
    const link = element("a", "name", name);
    link.href = isDrawn ? `#target-${id}` : `?target=${id}`;
    return link;
}

// Colours next to each other, each as wide as the others.
function gradient(colours) {
    const stops = [];
    colours.forEach((colour, index) => {
        if (colour !== colours[index - 1]) stops.push([colour, index, index]);
        stops.at(-1)[2] = index + 1;
    });
    const place = (index) => `${((100 * index) / colours.length).toFixed(2)}%`;
    return `linear-gradient(90deg, ${stops.map(([colour, from, to]) => `${colour} ${place(from)} ${place(to)}`).join(", ")})`;
}

function lossColours({ later_ms, losses }) {
    const colours = later_ms.map(() => "transparent");
    for (const [step, part] of losses) colours[step] = `var(--${lossColour(part)})`;
    return colours;
}

function stripTitle(strip, clientX) {
    const { from_s, step_s, rows } = page.overview;
    const row = rows[strip.row];
    const { left, width } = strip.getBoundingClientRect();
    const step = Math.min(row.later_ms.length - 1, Math.max(0, Math.floor(((clientX - left) / width) * row.later_ms.length)));
    const later = row.later_ms[step];
    const lost = row.losses.find(([at]) => at === step)?.[1] ?? 0;
    const when = DATE_AND_TIME.format(new Date((from_s + step * step_s) * 1000));
    const parts = [later === null ? "delay not known" : `${written(later)} ms later`];
    if (lost) parts.push(`${lossText(lost)} unanswered`);
    return `${when}: ${parts.join(", ")}`;
}
