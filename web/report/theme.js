// Light and dark: the style sheet has the colours, a canvas must be told them.

const root = document.documentElement;
const curveColours = 8;
const mapColours = 9;

// A colour of the style sheet as it is at this moment.
function colour(name) {
    const probe = element("i", "");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const resolved = getComputedStyle(probe).color;
    probe.remove();
    return resolved;
}

// All that plots are painted with.
function inks() {
    const [ground, muted, axis, grid] = ["ground", "muted", "axis", "grid"].map(colour);
    const curves = Array.from({ length: curveColours }, (_, index) => colour(`curve-${index}`));
    const channels = (index) => colour(`map-${index}`).match(/\d+/g).slice(0, 3).map(Number);
    const map = Array.from({ length: mapColours }, (_, index) => channels(index));
    return { ground, muted, axis, grid, curves, map };
}

let ink = inks();

const darkScreen = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
    return (root.dataset.theme ?? (darkScreen.matches ? "dark" : "light")) === "dark";
}

// The button that changes between light and dark, and forgets it with the page.
function themeButton(changed) {
    const made = button("", () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        changed();
    });
    made.classList.add("theme");
    const name = () => {
        made.textContent = isDark() ? "Light" : "Dark";
    };
    made.addEventListener("click", name);
    darkScreen.addEventListener("change", () => {
        name();
        changed();
    });
    name();
    return made;
}
