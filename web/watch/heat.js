// A field for each hour of each day: the later answers came, the brighter.

// The added milliseconds at the ends of the colours.
const [HEAT_LEAST, HEAT_MOST] = [2, 500];
// The days that have a row each; more have a column each.
const MOST_DAY_ROWS = 31;

function heat() {
    const days = page.days.filter(({ hours_added_ms }) => hours_added_ms.some((ms) => ms !== null));
    if (!days.length) return;
    document.getElementById("heat").hidden = false;
    const place = document.querySelector(".heat");
    if (days.length > MOST_DAY_ROWS) place.append(...dayColumns(page.days));
    else place.append(...dayRows(days));
    place.classList.toggle("year", days.length > MOST_DAY_ROWS);
    document.getElementById("heat").append(heatKey());
}

// What the colours mean.
function heatKey() {
    const colours = Array.from({ length: mapColours }, (_, index) => `map-${index}`);
    const scale = element("span", "scale", `colours: ${HEAT_LEAST} ms later or less `, ...colours.map(swatch), ` ${HEAT_MOST} ms later or more`);
    return element("p", "key", scale, element("span", "", swatch("quiet"), "no data"));
}

function dayRows(days) {
    const hours = Array.from({ length: 24 }, (_, hour) => element("span", "hour", hour % 3 ? "" : `${hour}`));
    const fields = ({ day, hours_added_ms }) => [element("span", "", day), ...hours_added_ms.map((ms, hour) => field(day, hour, ms))];
    return [element("span", ""), ...hours, ...days.flatMap(fields)];
}

function field(day, hour, ms) {
    const made = element("i", "");
    made.title = hourTitle(day, hour, ms);
    made.style.background = heatColour(ms);
    return made;
}

// A column for each day, from the first hour above to the last below.
function dayColumns(days) {
    const columns = days.map(({ day, hours_added_ms }) => {
        const made = element("i", "");
        made.style.background = gradient(hours_added_ms.map(heatColour)).replace("90deg", "180deg");
        made.dataset.month = day.endsWith("-01") ? MONTH_FORMAT.format(new Date(`${day}T00:00`)) : "";
        made.addEventListener("mousemove", ({ offsetY }) => {
            const hour = Math.min(23, Math.max(0, Math.floor((24 * offsetY) / made.clientHeight)));
            made.title = hourTitle(day, hour, hours_added_ms[hour]);
        });
        return made;
    });
    const hours = [0, 6, 12, 18].map((hour) => element("span", "", `${hour} h`));
    return [element("div", "hours", ...hours), element("div", "days", ...columns)];
}

function hourTitle(day, hour, ms) {
    const range = `${day}, ${hour} to ${hour + 1} h`;
    return ms === null ? `${range}: no data` : `${range}: ${written(ms)} ms later`;
}

// The colour of so many milliseconds more.
function heatColour(ms) {
    if (ms === null) return "var(--quiet)";
    const part = Math.log(Math.max(ms, HEAT_LEAST) / HEAT_LEAST) / Math.log(HEAT_MOST / HEAT_LEAST);
    return `var(--map-${Math.min(mapColours - 1, Math.floor(part * mapColours))})`;
}
