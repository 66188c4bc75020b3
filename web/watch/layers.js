// What was seen over time, in layers of steps of one length; a live page asks for more.

const page = JSON.parse(document.getElementById("data").textContent);
const isLive = document.querySelector("main").dataset.live === "true";

// The steps that a plot should have at least, if there are finer ones.
const WANTED_STEPS = 240;

function endOf(layer) {
    return layer.from_s + layer.step_s * layer.up_mbit.length;
}

// The layer that shows a part best: the coarsest that is fine enough, or else the finest; of one that
// covers the part, if there is one.
function layerFor([from, to]) {
    const covers = (layer) =>
        layer.from_s <= from + layer.step_s && endOf(layer) >= Math.min(to, page.to_s) - layer.step_s;
    const byStep = [...page.layers].sort((a, b) => b.step_s - a.step_s);
    const covering = byStep.filter(covers);
    const fine = covering.find((layer) => (to - from) / layer.step_s >= WANTED_STEPS);
    return fine ?? covering.at(-1) ?? byStep[0];
}

// Asks the server for a part, and keeps what it tells.
async function fetchPart([from, to]) {
    const targets = page.drawn.map(({ id }) => id).join(",");
    const answer = await fetch(`data?from=${from}&to=${to}&targets=${targets}`);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const part = await answer.json();
    // The one from the beginning stays, as the way back.
    page.layers = [...page.layers.slice(0, 1), ...page.layers.slice(1).slice(-7), part.layer];
    page.events = part.events;
    page.to_s = Math.max(page.to_s, part.to_s);
}
