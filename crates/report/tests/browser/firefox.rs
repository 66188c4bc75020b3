//! Firefox, by WebDriver BiDi over a web socket. A start takes seconds of the processor, so a test takes over the
//! Firefox of one that has ended.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{self, Child, ChildStderr, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use super::{AGED, Key, Mouse, PATIENCE, Protocol, Told, Wishes, program, temporary};

/// The browser ends, and its profile is removed, when nobody can write to the standard input of this any longer:
/// also where a test or the whole process was killed.
const START: &str = r#"
profile=$1
shift
"$@" </dev/null &
exec 2>/dev/null
read -r _
kill $!
wait
rm -rf "$profile"
"#;

/// A profile of its own; one page; and scripts may reach the browser itself, for what the protocol lacks.
const OPTIONS: [&str; 6] = [
    "--headless",
    "--no-remote",
    "--remote-allow-system-access",
    "--remote-debugging-port",
    "0",
    "--profile",
];

/// No processes and no pages that nobody asked for.
const PREFERENCES: [(&str, &str); 6] = [
    ("browser.startup.page", "0"),
    ("browser.newtabpage.enabled", "false"),
    ("dom.ipc.processPrelaunch.enabled", "false"),
    ("browser.shell.checkDefaultBrowser", "false"),
    (DARK, "1"),
    (STILL, "0"),
];

/// 0 is dark, 1 light.
const DARK: &str = "layout.css.prefers-color-scheme.content-override";
/// 1 is less motion.
const STILL: &str = "ui.prefersReducedMotion";

/// What the browser reports.
const EVENTS: [&str; 3] =
    ["log.entryAdded", "network.beforeRequestSent", "browsingContext.downloadEnd"];

/// Elements that can have the focus, from the tree that the browser itself gives to screen readers. It is built
/// after it was first asked for, a little later than the page.
const TOLD: &str = r#"(async () => {
    const service = Cc["@mozilla.org/accessibilityService;1"].getService(Ci.nsIAccessibilityService);
    const has = (it, flag) => {
        const [state, more] = [{}, {}];
        it.getState(state, more);
        return (state.value & flag) !== 0;
    };
    const children = (it) => Array.from({ length: it.childCount }, (_, index) => it.getChildAt(index));
    const walk = (it) => [it, ...children(it).flatMap(walk)];
    const { STATE_FOCUSABLE, STATE_BUSY } = Ci.nsIAccessibleStates;
    for (let before = -1; ; ) {
        const frame = service.getAccessibleFor(gBrowser.selectedBrowser);
        const page = frame ? children(frame)[0] : null;
        const all = page && !has(page, STATE_BUSY) ? walk(page).slice(1) : [];
        const found = all.filter((it) => has(it, STATE_FOCUSABLE));
        if (all.length && all.length === before)
            return found.map((it) => [service.getStringRole(it.role), it.name ?? ""]);
        before = all.length;
        await new Promise((done) => setTimeout(done, 100));
    }
})()"#;

/// Those that no test uses at the moment.
static IDLE: Mutex<Vec<Running>> = Mutex::new(Vec::new());
static STARTED: AtomicU32 = AtomicU32::new(0);

/// A browser that others get after this test, unless the test has failed.
pub(super) struct Firefox(Option<Running>);

impl Firefox {
    pub(super) fn start() -> Self {
        let idle = IDLE.lock().unwrap().pop();
        let mut firefox = Self(Some(idle.unwrap_or_else(Running::start)));
        // Without a screen no window has the focus by itself, and keys would do nothing.
        firefox.running().in_browser(
            "Services.focus.activeWindow = window; gBrowser.selectedBrowser.focus(); null",
        );
        firefox.wish(Wishes::default());
        firefox
    }

    fn running(&mut self) -> &mut Running {
        self.0.as_mut().expect("it is there until the end")
    }

    fn on_page(&mut self, method: &str, mut parameters: Value) -> Value {
        parameters["context"] = json!(self.running().page);
        self.running().call(method, &parameters)
    }

    fn act(&mut self, source: Value) {
        self.on_page("input.performActions", json!({ "actions": [source] }));
    }

    fn events(&self) -> &[Value] {
        &self.0.as_ref().expect("it is there until the end").events
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        if let Some(running) = self.0.take().filter(|_| !thread::panicking()) {
            IDLE.lock().unwrap().push(running);
        }
    }
}

impl Protocol for Firefox {
    fn navigate(&mut self, url: &str) {
        self.running().events.clear();
        self.on_page("browsingContext.navigate", json!({ "url": url, "wait": "complete" }));
    }

    fn evaluate(&mut self, script: &str) -> Value {
        let page = self.running().page.clone();
        self.running().evaluate(&page, script)
    }

    fn complaints(&mut self) -> Vec<String> {
        self.running().wait_for_the_log();
        let entries = self.events().iter().filter(|event| event["method"] == "log.entryAdded");
        entries.filter(|it| it["params"]["level"] == "error").map(Value::to_string).collect()
    }

    fn requests(&self) -> Vec<String> {
        let is_sent = |event: &&Value| event["method"] == "network.beforeRequestSent";
        let url = |event: &Value| event["params"]["request"]["url"].as_str().map(str::to_owned);
        let urls = self.events().iter().filter(is_sent).filter_map(url);
        urls.filter(|url| !url.starts_with("file:")).collect()
    }

    fn mouse(&mut self, steps: &[Mouse]) {
        let action = |step: &Mouse| match step {
            Mouse::To((x, y)) => json!({ "type": "pointerMove", "x": x, "y": y }),
            Mouse::Press => json!({ "type": "pointerDown", "button": 0 }),
            Mouse::Release => json!({ "type": "pointerUp", "button": 0 }),
        };
        let actions: Vec<Value> = steps.iter().map(action).collect();
        self.act(json!({ "type": "pointer", "id": "mouse", "actions": actions }));
    }

    fn press(&mut self, key: Key) {
        // The names of keys: WebDriver, section 17.4.2.
        let value = match key {
            Key::Space => " ",
            Key::Tab => "\u{e004}",
            Key::Enter => "\u{e006}",
            Key::Right => "\u{e014}",
            Key::Plus => "+",
            Key::Escape => "\u{e00c}",
        };
        let actions = ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": value }));
        self.act(json!({ "type": "key", "id": "keyboard", "actions": actions }));
    }

    fn viewport(&mut self, width: u32, height: u32, is_phone: bool) {
        let parameters = json!({
            "viewport": { "width": width, "height": height },
            "devicePixelRatio": if is_phone { 3 } else { 1 },
        });
        self.on_page("browsingContext.setViewport", parameters);
    }

    /// The protocol has no command for it, so the preferences are changed.
    fn wish(&mut self, Wishes { dark, still }: Wishes) {
        self.running().in_browser(&format!(
            "Services.prefs.setIntPref('{DARK}', {}); Services.prefs.setIntPref('{STILL}', {})",
            u32::from(!dark),
            u32::from(still),
        ));
        // The page learns of it later.
        self.evaluate(&format!(
            "new Promise((done) => {{
                const look = () => {{
                    const wished = ['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'];
                    const found = wished.map((query) => matchMedia(query).matches).join();
                    if (found === '{dark},{still}') done(); else setTimeout(look, 5);
                }};
                look();
            }})"
        ));
    }

    fn print(&mut self) -> String {
        let a4 = json!({ "page": { "width": 21.0, "height": 29.7 }, "background": false });
        self.on_page("browsingContext.print", a4)["data"].as_str().unwrap().to_owned()
    }

    fn save(&mut self, script: &str, folder: &Path) {
        let to = json!({ "type": "allowed", "destinationFolder": folder.to_str().unwrap() });
        self.running().call("browser.setDownloadBehavior", &json!({ "downloadBehavior": to }));
        self.evaluate(script);
        let ended = self.running().wait_for("browsingContext.downloadEnd");
        assert_eq!(ended["status"], "complete");
    }

    fn told(&mut self) -> Vec<Told> {
        let found = self.running().in_browser(TOLD);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let pairs = found.as_array().unwrap().iter();
        pairs.map(|pair| Told { role: text(&pair[0]), name: text(&pair[1]) }).collect()
    }
}

/// A process with one page, and the connection to it.
struct Running {
    /// Its standard input is closed with this, which ends the browser.
    _guard: Child,
    socket: WebSocket<TcpStream>,
    last_id: u64,
    events: Vec<Value>,
    /// The page.
    page: String,
    /// The window around the page.
    window: String,
}

impl Running {
    fn start() -> Self {
        let name = program(&["firefox-esr", "firefox"], "firefox");
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let profile = temporary(&format!("Firefox-{}-{number}", process::id()));
        let preferences = PREFERENCES.iter().fold(String::new(), |mut text, (name, value)| {
            writeln!(text, "user_pref(\"{name}\", {value});").expect("a string has room");
            text
        });
        fs::write(profile.join("user.js"), preferences).unwrap();
        let mut guard = Command::new("sh")
            .args(["-c", START, "sh"])
            .arg(&profile)
            .arg(name)
            .args(OPTIONS)
            .arg(&profile)
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let (page, window) = (String::new(), String::new());
        let socket = connect(guard.stderr.take().unwrap());
        let mut running =
            Self { _guard: guard, socket, last_id: 0, events: Vec::new(), page, window };
        running.begin();
        running
    }

    fn begin(&mut self) {
        self.call("session.new", &json!({ "capabilities": {} }));
        self.call("session.subscribe", &json!({ "events": EVENTS }));
        let first = |tree: Value| tree["contexts"][0]["context"].as_str().unwrap().to_owned();
        self.page = first(self.call("browsingContext.getTree", &json!({})));
        let aged = json!({ "functionDeclaration": format!("() => {{{AGED}}}") });
        self.call("script.addPreloadScript", &aged);
        let chrome = json!({ "moz:scope": "chrome" });
        self.window = first(self.call("browsingContext.getTree", &chrome));
    }

    /// Sends a command and waits for the answer.
    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.last_id += 1;
        let message = json!({ "id": self.last_id, "method": method, "params": parameters });
        self.socket.send(Message::text(message.to_string())).expect("the browser listens");
        loop {
            let mut answer = self.receive();
            if answer["id"] == self.last_id {
                assert_eq!(answer["type"], "success", "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    fn receive(&mut self) -> Value {
        let message = self.socket.read().expect("the browser answers within two minutes");
        serde_json::from_str(message.to_text().expect("text")).expect("JSON")
    }

    /// Waits for the next `event`, and forgets it.
    fn wait_for(&mut self, event: &str) -> Value {
        loop {
            if let Some(index) = self.events.iter().position(|told| told["method"] == event) {
                return self.events.remove(index)["params"].take();
            }
            let message = self.receive();
            self.events.push(message);
        }
    }

    /// What is logged is reported in its order, but later than the answer to a script.
    fn wait_for_the_log(&mut self) {
        const MARK: &str = "up to here";
        let page = self.page.clone();
        self.evaluate(&page, &format!("console.debug('{MARK}')"));
        while !self.events.iter().any(|event| event["params"]["text"] == MARK) {
            let message = self.receive();
            self.events.push(message);
        }
        self.events.retain(|event| event["params"]["text"] != MARK);
    }

    fn evaluate(&mut self, context: &str, script: &str) -> Value {
        let parameters = json!({
            "expression": script, "awaitPromise": true, "target": { "context": context },
        });
        let answer = self.call("script.evaluate", &parameters);
        assert_eq!(answer["type"], "success", "{script}: {answer}");
        plain(&answer["result"])
    }

    /// Runs a script with the rights of the browser itself.
    fn in_browser(&mut self, script: &str) -> Value {
        let window = self.window.clone();
        self.evaluate(&window, script)
    }
}

/// Waits until the browser has said where it listens, and begins a conversation there.
fn connect(said: ChildStderr) -> WebSocket<TcpStream> {
    let mut lines = BufReader::new(said).lines().map_while(Result::ok);
    let address = lines.find_map(|line| Some(line.split_once("listening on ws://")?.1.to_owned()));
    let address = address.expect("Firefox says where it listens");
    // What it says later is read, so that it never waits for a reader.
    thread::spawn(move || lines.for_each(drop));
    let stream = TcpStream::connect(&address).expect("Firefox listens");
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let url = format!("ws://{address}/session");
    tungstenite::client(url, stream).expect("Firefox speaks WebDriver BiDi").0
}

/// A value as the protocol writes it (`script.RemoteValue`), in plain JSON.
fn plain(value: &Value) -> Value {
    match (value["type"].as_str(), &value["value"]) {
        (Some("array"), Value::Array(values)) => values.iter().map(plain).collect(),
        (Some("string" | "number" | "boolean"), value) => value.clone(),
        _ => Value::Null,
    }
}
