// A field for each hour of each day: the later answers came, the brighter.

// The added milliseconds at the ends of the colours.
const [HEAT_LEAST, HEAT_MOST] = [2, 500];

function heat() {
    const days = page.days.filter(({ hours_added_ms }) => hours_added_ms.some((ms) => ms !== null));
    if (!days.length) return;
    document.getElementById("heat").hidden = false;
    const grid = document.querySelector(".heat");
    grid.append(element("span", ""));
    for (let hour = 0; hour < 24; hour++) grid.append(element("span", "hour", hour % 3 ? "" : `${hour}`));
    for (const { day, hours_added_ms } of days.slice(-62)) {
        grid.append(element("span", "", day));
        hours_added_ms.forEach((ms, hour) => grid.append(field(day, hour, ms)));
    }
}

function field(day, hour, ms) {
    const made = element("i", ms === null ? "none" : "");
    const range = `${day}, ${hour} to ${hour + 1} h`;
    made.title = ms === null ? `${range}: no data` : `${range}: ${written(ms)} ms later`;
    if (ms !== null) {
        const part = Math.log(Math.max(ms, HEAT_LEAST) / HEAT_LEAST) / Math.log(HEAT_MOST / HEAT_LEAST);
        const index = Math.min(mapColours - 1, Math.floor(part * mapColours));
        made.style.background = `var(--map-${index})`;
    }
    return made;
}
