//! A real browser, controlled by the Chrome DevTools protocol over two pipes: no port is open, and
//! the browser ends when its pipes are closed.

pub(crate) mod example;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The browser reads commands from file descriptor 3 and answers on 4.
const START: &str = r#"exec "$@" --remote-debugging-pipe 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;

const FIND: &str = "command -v chromium || command -v chromium-browser || command -v google-chrome";

const OPTIONS: [&str; 10] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--hide-scrollbars",
];

/// Longest wait for the browser, which is slow on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Longest wait in the page: less than `PATIENCE`, so that the page can report what it waited for.
const PATIENCE_OF_PAGE: Duration = Duration::from_secs(PATIENCE.as_secs() - 10);

/// Removes features that browsers of early 2022 did not have, and that the page must not need.
const AGED: &str = "
    delete Map.groupBy;
    delete Object.groupBy;
    delete Promise.withResolvers;
    delete Set.prototype.union;
    for (const young of ['findLast', 'findLastIndex', 'toReversed', 'toSorted', 'toSpliced', 'with'])
        delete Array.prototype[young];
";

/// A promise in the page, which is resolved after two frames.
pub(crate) const TWO_FRAMES: &str =
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    last_id: u64,
    events: Vec<Value>,
    /// Profile and downloads; removed at the end.
    folder: PathBuf,
}

impl Browser {
    /// Starts a browser with a window of this size, in CSS pixels. `name` distinguishes it from
    /// those of other tests.
    pub(crate) fn start(name: &str, width: u32, height: u32) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let mut process = Command::new("sh")
            .args(["-c", START, "sh", &program()])
            .args(OPTIONS)
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .arg(format!("--window-size={width},{height}"))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let commands = process.stdin.take().unwrap();
        let answers = process.stdout.take().unwrap();
        let (sender, messages) = channel();
        thread::spawn(move || read(answers, &sender));
        let events = Vec::new();
        let mut browser =
            Self { process, commands, messages, session: None, last_id: 0, events, folder };
        browser.attach();
        browser.viewport(width, height, false);
        browser
    }

    fn attach(&mut self) {
        let targets = self.call("Target.getTargets", json!({}));
        let page = targets["targetInfos"].as_array().unwrap().iter().find(|t| t["type"] == "page");
        let id = page.expect("a page")["targetId"].clone();
        let attached =
            self.call("Target.attachToTarget", json!({ "targetId": id, "flatten": true }));
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        self.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": AGED }));
    }

    /// Sends a command to the page and waits for the answer.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.commands.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.receive();
            if answer["id"] == self.last_id {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn receive(&self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("the browser answers within two minutes")
    }

    /// Waits until the page has reported `event`.
    pub(crate) fn wait_for(&mut self, event: &str) -> Value {
        loop {
            if let Some(told) = self.events.iter().find(|told| told["method"] == event) {
                return told["params"].clone();
            }
            let message = self.receive();
            self.events.push(message);
        }
    }

    /// Waits for the next `event` of the page, and forgets earlier ones.
    pub(crate) fn wait_for_next(&mut self, event: &str) -> Value {
        let told = self.wait_for(event);
        let first = self.events.iter().position(|told| told["method"] == event);
        first.map(|index| self.events.remove(index));
        told
    }

    /// Writes the page to a file, opens it, and waits until all is drawn. Returns the time that it
    /// took, in milliseconds.
    pub(crate) fn open(&mut self, html: &str) -> f64 {
        let file = self.folder.join("page.html");
        fs::write(&file, html).unwrap();
        self.events.clear();
        self.call("Page.navigate", json!({ "url": url(&file) }));
        self.wait_for("Page.loadEventFired");
        let drawn = self.evaluate(&format!(
            "new Promise((done) => {{
                const look = () => {{
                    const [drawn] = performance.getEntriesByName('drawn');
                    if (drawn) done(drawn.startTime); else setTimeout(look, 10);
                }};
                look();
                setTimeout(() => done(null), {});
            }})",
            PATIENCE_OF_PAGE.as_millis(),
        ));
        drawn.as_f64().unwrap_or_else(|| panic!("not drawn: {:?}", self.complaints()))
    }

    /// The result of a script, which is awaited.
    pub(crate) fn evaluate(&mut self, script: &str) -> Value {
        let parameters =
            json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    /// All errors since the page was opened: exceptions, errors on the console, violations of the
    /// page's policy.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let is_complaint = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Log.entryAdded") => event["params"]["entry"]["level"] == "error",
            Some("Runtime.consoleAPICalled") => event["params"]["type"] == "error",
            _ => false,
        };
        self.events.iter().filter(is_complaint).map(Value::to_string).collect()
    }

    /// All requests since the page was opened, including that for the page itself.
    pub(crate) fn requests(&self) -> Vec<String> {
        let sent =
            self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.map(|event| event["params"]["request"]["url"].as_str().unwrap_or("").into()).collect()
    }

    /// Waits until the page has handled events and has drawn the result: scripts and frames
    /// alternate, and the second frame begins after the first is on the screen.
    pub(crate) fn settle(&mut self) {
        self.evaluate(&format!("{TWO_FRAMES}.then(() => null)"));
    }

    pub(crate) fn point(&mut self, at: (f64, f64)) {
        self.mouse("mouseMoved", at, json!({}));
        self.settle();
    }

    pub(crate) fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.mouse("mouseMoved", from, json!({}));
        self.mouse("mousePressed", from, json!({ "button": "left", "clickCount": 1 }));
        self.mouse("mouseMoved", to, json!({ "button": "left", "buttons": 1 }));
        self.mouse("mouseReleased", to, json!({ "button": "left", "clickCount": 1 }));
        self.settle();
    }

    pub(crate) fn double_click(&mut self, at: (f64, f64)) {
        self.mouse("mouseMoved", at, json!({}));
        for click in [1, 2] {
            let button = json!({ "button": "left", "clickCount": click });
            self.mouse("mousePressed", at, button.clone());
            self.mouse("mouseReleased", at, button);
        }
        self.settle();
    }

    /// A mouse event of the protocol (`mousePressed`, `mouseMoved`, `mouseReleased`).
    fn mouse(&mut self, kind: &str, (x, y): (f64, f64), button: Value) {
        let mut parameters = button;
        parameters["type"] = json!(kind);
        (parameters["x"], parameters["y"]) = (json!(x), json!(y));
        self.call("Input.dispatchMouseEvent", parameters);
    }

    pub(crate) fn viewport(&mut self, width: u32, height: u32, mobile: bool) {
        let scale = if mobile { 3 } else { 1 };
        let parameters = json!({
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile,
        });
        self.call("Emulation.setDeviceMetricsOverride", parameters);
    }

    pub(crate) fn prefer(&mut self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// Allows downloads, and returns their folder.
    pub(crate) fn allow_downloads(&mut self) -> PathBuf {
        let folder = self.folder.join("downloads");
        fs::create_dir_all(&folder).unwrap();
        let parameters = json!({
            "behavior": "allow", "downloadPath": folder.to_str().unwrap(), "eventsEnabled": true,
        });
        self.call("Browser.setDownloadBehavior", parameters);
        folder
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // If the browser is asked to end, it ends all its processes; a signal would end only the
        // one that we started.
        self.session = None;
        let close = json!({ "id": self.last_id + 1, "method": "Browser.close" });
        let asked = self.commands.write_all(format!("{close}\0").as_bytes());
        if asked.is_ok() {
            while self.messages.recv_timeout(Duration::from_secs(10)).is_ok() {}
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn program() -> String {
    let found = Command::new("sh").args(["-c", FIND]).output().expect("sh starts");
    let name = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    assert!(
        !name.is_empty(),
        "this test looks at pages in a real browser: install chromium \
         (Debian and Ubuntu: apt-get install chromium), or skip it: cargo test -- --skip needs_chromium"
    );
    name
}

pub(crate) fn url(file: &Path) -> String {
    format!("file://{}", file.display())
}

/// Messages end with a zero byte.
fn read(answers: ChildStdout, sender: &Sender<Value>) {
    let mut answers = BufReader::new(answers);
    let mut message = Vec::new();
    while answers.read_until(0, &mut message).is_ok_and(|length| length > 0) {
        message.pop();
        let Ok(value) = serde_json::from_slice(&message) else { return };
        if sender.send(value).is_err() {
            return;
        }
        message.clear();
    }
}
