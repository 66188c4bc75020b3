// Buttons that copy commands.

function copyButton(block) {
    const button = element("button", "copy");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
        button.textContent = (await copied(block.querySelector("pre").textContent, block)) ? "Copied" : "Press Ctrl-C";
        setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.prepend(button);
}

// Where a page may not write to the clipboard, the commands are selected in place of that.
async function copied(text, block) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        getSelection().selectAllChildren(block.querySelector("pre"));
        return false;
    }
}
