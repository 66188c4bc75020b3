// The numbers of captured packets, to look them up in Wireshark.

// Below the plot, after a click: the filter that shows the packets at the cursor. It gets its button with all
// commands of the page.
function packetFilter(plot) {
    const code = element("code", "");
    const block = element("div", "commands packets", element("pre", "", code));
    block.hidden = true;
    plot.host.append(block);
    plot.uplot.over.addEventListener("click", () => {
        const numbers = packetsAt(plot);
        if (!numbers.length) return;
        code.textContent =
            numbers.length === 1
                ? `frame.number == ${numbers[0]}`
                : `frame.number in {${numbers.join(", ")}}`;
        block.hidden = false;
    });
}

function packetsAt(plot) {
    const { left, top } = plot.uplot.cursor;
    if (left < 0) return [];
    const rows = plot.cloud
        ? nearestPoint(plot, left, top)
        : valuesAt(plot, plot.uplot.posToVal(left, "x"));
    const numbers = rows.map(({ curve, index }) => curve.packets?.[index]);
    const known = numbers.filter((number) => number !== undefined);
    return [...new Set(known)].sort((one, other) => one - other);
}
