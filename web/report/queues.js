// Queues that can be watched: the packets of a short time of the run, slower than they were. The still
// pictures of the page are replaced by canvases, and stay for paper and for who wants no motion.

const ARRIVING = 0.3, // seconds on the screen in which a packet comes to its place
    DROPPING = 0.8, // seconds in which a dropped one can be seen
    PAUSE = 1; // seconds at the end, before it begins again

class QueueScene {
    constructor(data, host) {
        Object.assign(this, { data, host });
        this.now = data.still;
        this.wanted = !matchMedia("(prefers-reduced-motion: reduce)").matches;
        this.inSight = false;
        this.canvases = [...host.querySelectorAll("svg")].map((svg) => this.canvasFor(svg));
        this.addTools(host.querySelector(".queue-tools"));
        // It begins from the beginning where it moves, and is still where it does not.
        if (this.wanted) this.now = 0;
        new IntersectionObserver(([entry]) => {
            this.inSight = entry.isIntersecting;
            this.goOn();
        }).observe(host.querySelector(".queues"));
        document.addEventListener("visibilitychange", () => this.goOn());
        new ResizeObserver(() => this.draw()).observe(host);
        this.recolour();
    }

    recolour() {
        this.paints = ["curve-5", "curve-1", "bad", "axis", "grid"].map(colour);
        this.draw();
    }

    canvasFor(svg) {
        const canvas = element("canvas", "");
        const { width, height } = svg.viewBox.baseVal;
        canvas.style.aspectRatio = `${width} / ${height}`;
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", svg.getAttribute("aria-label"));
        svg.classList.add("on-paper");
        svg.before(canvas);
        return { canvas, width, height };
    }

    addTools(tools) {
        this.toggle = button("", () => {
            this.wanted = !this.wanted;
            this.goOn();
        });
        this.slider = element("input", "");
        const step = Math.ceil(this.data.length / 200);
        Object.assign(this.slider, { type: "range", min: 0, max: this.data.length, step });
        this.slider.setAttribute("aria-label", "Time of the run");
        this.slider.addEventListener("input", () => {
            this.wanted = false;
            this.now = Number(this.slider.value);
            this.goOn();
            this.draw();
        });
        this.clock = element("output", "");
        tools.append(this.toggle, this.slider, this.clock);
    }

    // Moves where it is wanted and can be seen.
    goOn() {
        const moves = this.wanted && this.inSight && !document.hidden;
        this.toggle.textContent = this.wanted ? "Pause" : "Play";
        this.host.dataset.moves = moves;
        if (moves && !this.frame) {
            this.before = null;
            this.frame = requestAnimationFrame((time) => this.step(time));
        } else if (!moves && this.frame) {
            cancelAnimationFrame(this.frame);
            this.frame = null;
        }
    }

    step(time) {
        const passed = this.before === null ? 0 : Math.min(time - this.before, 100);
        this.before = time;
        this.now += (passed * 1000) / this.data.slowed;
        if (this.now > this.data.length + (PAUSE * 1e6) / this.data.slowed) this.now = 0;
        this.draw();
        this.frame = requestAnimationFrame((next) => this.step(next));
    }

    draw() {
        const now = Math.min(this.now, this.data.length);
        this.canvases.forEach((one, index) => this.drawQueue(one, this.data.queues[index], now));
        this.slider.value = now;
        const seconds = this.data.from + now / 1e6;
        this.clock.textContent = `${seconds.toFixed(3)} s`;
        this.slider.setAttribute("aria-valuetext", this.clock.textContent);
        this.host.dataset.at = Math.round(now);
    }

    drawQueue({ canvas, width, height }, queue, now) {
        const scale = (canvas.clientWidth / width) * devicePixelRatio;
        if (!scale) return;
        const size = [Math.round(width * scale), Math.round(height * scale)];
        if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
        const context = canvas.getContext("2d");
        context.setTransform(scale, 0, 0, scale, scale, scale);
        context.clearRect(-1, -1, width, height);
        const [load, other, bad, axis, grid] = this.paints;
        const { columns, rows, cell, entry, wire } = this.data;
        context.fillStyle = grid;
        context.fillRect((entry + columns) * cell, (rows - 1) * cell, wire * cell, cell);
        context.strokeStyle = axis;
        context.lineWidth = 1;
        context.strokeRect(entry * cell, 0, columns * cell, rows * cell);
        for (const packet of this.seen(queue, now)) {
            context.globalAlpha = packet.alpha;
            context.fillStyle = packet.kind & 1 ? other : load;
            context.strokeStyle = bad;
            paintPacket(context, packet);
        }
        context.globalAlpha = 1;
    }

    // The packets that can be seen now, and where: on their way in, in the queue, on the wire, or dropped.
    *seen(queue, now) {
        const { cell, entry, columns, rows, wire, slowed, packet: onWire } = this.data;
        const shown = (micros) => (micros * slowed) / 1e6;
        const inQueue = (i) => queue.offered[i] <= now && queue.left[i] > now;
        const all = queue.left.reduce((sum, _, i) => sum + inQueue(i), 0);
        let waiting = 0;
        for (let i = 0; i < queue.left.length; i++) {
            const [offered, left, kind] = [queue.offered[i], queue.left[i], queue.kind[i]];
            if (offered > now) continue;
            if (left > now) {
                const [x, y] = this.place(waiting++);
                const part = Math.min(1, shown(now - offered) / ARRIVING);
                const start = -cell / 2;
                yield { x: start + (x - start) * part, y, kind, alpha: 1 };
            } else if (kind & 4) {
                const age = shown(now - left) / DROPPING;
                if (age >= 1) continue;
                // One that found the queue full was behind all; any other was about to leave.
                const [x, y] = this.place(offered === left ? all : 0);
                yield { x, y, kind, alpha: 1 - age, cross: true };
            } else {
                // Each packet is pushed along by the next one.
                const cells = (now - left) / onWire;
                if (cells >= wire) continue;
                const x = (entry + columns + cells) * cell;
                yield { x, y: (rows - 0.5) * cell, kind, alpha: 1 };
            }
        }
    }

    // The middle of a place, counted from the exit: rows in turns from the right and from the left.
    place(index) {
        const { columns, rows, cell, entry } = this.data;
        const row = Math.floor(index / columns);
        const along = index % columns;
        const column = row % 2 ? along : columns - 1 - along;
        return [(entry + column + 0.5) * cell, (Math.max(0, rows - 1 - row) + 0.5) * cell];
    }
}

function paintPacket(context, { x, y, kind, cross }) {
    if (cross) {
        context.lineWidth = 2.5;
        context.beginPath();
        for (const side of [-1, 1]) {
            context.moveTo(x - 4, y - 4 * side);
            context.lineTo(x + 4, y + 4 * side);
        }
        context.stroke();
    } else if (kind & 1) {
        context.beginPath();
        context.arc(x, y, 5.5, 0, 2 * Math.PI);
        context.fill();
    } else {
        const side = kind & 2 ? 4 : 8;
        context.fillRect(x - side / 2, y - side / 2, side, side);
    }
}

// The scene of the page; null if it has none.
function queueScene() {
    const data = document.getElementById("queues");
    return data ? new QueueScene(JSON.parse(data.textContent), data.parentElement) : null;
}
