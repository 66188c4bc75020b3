// Numbers and elements as people see them.

const GROUPED = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 4 });
const COMPACT = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 2 });

// A value that somebody points at: four digits, and all before the point.
function written(value) {
    const format = Math.abs(value) >= 1e3 ? GROUPED : SHORT;
    return format.format(value).replace("-", "\u2212");
}

// Three digits, and all before the point.
function short(value) {
    const size = Math.abs(value);
    const decimals = size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return writtenTo(value, value === 0 ? 1 : 10 ** -decimals);
}

// With so many decimals that values `step` apart differ.
function writtenTo(value, step) {
    const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step))));
    const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    return value.toLocaleString("en-GB", digits).replace("-", "\u2212");
}

// The numbers along an axis, as many decimals each as the finest needs.
function writtenTicks(values) {
    const decimals = (value) =>
        Number(value.toPrecision(10))
            .toFixed(10)
            .replace(/^.*\.|0+$/g, "");
    const most = Math.max(0, ...values.map((value) => decimals(value ?? 0).length));
    return values.map((value) => {
        if (value === null) return "";
        return Math.abs(value) >= 1e5 ? COMPACT.format(value) : writtenTo(value, 10 ** -most);
    });
}

function withUnit(text, unit) {
    return unit ? `${text} ${unit}` : text;
}

// A value along an axis; of those that it does not tell apart, that they are below its least one.
function writtenAlong(axis, value) {
    return axis.least !== undefined && value <= axis.least ? `below ${written(axis.least)}` : written(value);
}

function axisTitle(axis) {
    return axis.unit ? `${axis.label} (${axis.unit})` : axis.label;
}

// An element; what is in it is text, never markup.
function element(tag, className, ...content) {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...content);
    return made;
}

function button(text, action) {
    const made = element("button", "", text);
    made.type = "button";
    made.addEventListener("click", action);
    return made;
}
