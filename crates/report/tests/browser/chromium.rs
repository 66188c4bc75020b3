//! Chromium, by the Chrome DevTools protocol over two pipes: no port is open, and the browser ends when its pipes
//! are closed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{AGED, Key, Mouse, PATIENCE, Protocol, Told, Wishes, program};

/// The browser reads commands from file descriptor 3 and answers on 4.
const START: &str = r#"exec "$@" --remote-debugging-pipe 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;

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

/// A process with one page.
pub(super) struct Chromium {
    process: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    last_id: u64,
    events: Vec<Value>,
    /// The place of the mouse.
    at: (f64, f64),
    /// How many clicks there were at this place.
    clicks: u32,
}

impl Chromium {
    pub(super) fn start(profile: &Path) -> Self {
        let name = program(&["chromium", "chromium-browser", "google-chrome"], "chromium");
        let mut process = Command::new("sh")
            .args(["-c", START, "sh", &name])
            .args(OPTIONS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let commands = process.stdin.take().unwrap();
        let answers = process.stdout.take().unwrap();
        let (sender, messages) = channel();
        thread::spawn(move || read(answers, &sender));
        let mut browser = Self {
            process,
            commands,
            messages,
            session: None,
            last_id: 0,
            events: Vec::new(),
            at: (0.0, 0.0),
            clicks: 0,
        };
        browser.attach();
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
    fn call(&mut self, method: &str, parameters: Value) -> Value {
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

    /// Waits for the next `event` of the page, and forgets it.
    fn wait_for(&mut self, event: &str) -> Value {
        loop {
            if let Some(index) = self.events.iter().position(|told| told["method"] == event) {
                return self.events.remove(index)["params"].take();
            }
            let message = self.receive();
            self.events.push(message);
        }
    }
}

impl Protocol for Chromium {
    fn navigate(&mut self, url: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({ "url": url }));
        self.wait_for("Page.loadEventFired");
    }

    fn evaluate(&mut self, script: &str) -> Value {
        let parameters =
            json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    fn complaints(&mut self) -> Vec<String> {
        let is_complaint = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Log.entryAdded") => event["params"]["entry"]["level"] == "error",
            Some("Runtime.consoleAPICalled") => event["params"]["type"] == "error",
            _ => false,
        };
        self.events.iter().filter(is_complaint).map(Value::to_string).collect()
    }

    fn requests(&self) -> Vec<String> {
        let sent =
            self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.map(|event| event["params"]["request"]["url"].as_str().unwrap_or("").to_owned())
            .filter(|url| !url.starts_with("file:"))
            .collect()
    }

    fn mouse(&mut self, steps: &[Mouse]) {
        let mut is_down = false;
        for step in steps {
            let kind = match *step {
                Mouse::To(at) => {
                    (self.at, self.clicks) = (at, 0);
                    "mouseMoved"
                }
                Mouse::Press => {
                    is_down = true;
                    self.clicks += 1;
                    "mousePressed"
                }
                Mouse::Release => {
                    is_down = false;
                    "mouseReleased"
                }
            };
            let button = if is_down || kind != "mouseMoved" { "left" } else { "none" };
            let parameters = json!({
                "type": kind, "x": self.at.0, "y": self.at.1, "button": button,
                "buttons": u32::from(is_down), "clickCount": self.clicks.max(1),
            });
            self.call("Input.dispatchMouseEvent", parameters);
        }
    }

    fn press(&mut self, key: Key) {
        let (name, code, number, text) = match key {
            Key::Space => (" ", "Space", 32, Some(" ")),
            Key::Tab => ("Tab", "Tab", 9, None),
            Key::Enter => ("Enter", "Enter", 13, Some("\r")),
            Key::Right => ("ArrowRight", "ArrowRight", 39, None),
            Key::Plus => ("+", "NumpadAdd", 107, Some("+")),
            Key::Escape => ("Escape", "Escape", 27, None),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut parameters = json!({
                "type": kind, "key": name, "code": code, "windowsVirtualKeyCode": number,
            });
            if let Some(text) = text {
                parameters["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", parameters);
        }
    }

    fn viewport(&mut self, width: u32, height: u32, is_phone: bool) {
        let scale = if is_phone { 3 } else { 1 };
        let parameters = json!({
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": is_phone,
        });
        self.call("Emulation.setDeviceMetricsOverride", parameters);
    }

    fn wish(&mut self, Wishes { dark, still }: Wishes) {
        let features = json!([
            { "name": "prefers-color-scheme", "value": if dark { "dark" } else { "light" } },
            { "name": "prefers-reduced-motion", "value": if still { "reduce" } else { "" } },
        ]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    fn print(&mut self) -> String {
        let a4 = json!({ "paperWidth": 8.27, "paperHeight": 11.69 });
        self.call("Page.printToPDF", a4)["data"].as_str().unwrap().to_owned()
    }

    fn save(&mut self, script: &str, folder: &Path) {
        let parameters = json!({
            "behavior": "allow", "downloadPath": folder.to_str().unwrap(), "eventsEnabled": true,
        });
        self.call("Browser.setDownloadBehavior", parameters);
        self.evaluate(script);
        loop {
            let progress = self.wait_for("Browser.downloadProgress");
            assert_ne!(progress["state"], "canceled");
            if progress["state"] == "completed" {
                return;
            }
        }
    }

    fn told(&mut self) -> Vec<Told> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let can_have_focus = |node: &&Value| {
            let properties = node["properties"].as_array().map(Vec::as_slice).unwrap_or_default();
            let is_set = |it: &Value| it["name"] == "focusable" && it["value"]["value"] == true;
            node["ignored"] == false && properties.iter().any(is_set)
        };
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        let nodes = tree["nodes"].as_array().unwrap().iter().filter(can_have_focus);
        let told = nodes.map(|node| Told { role: text(&node["role"]), name: text(&node["name"]) });
        told.filter(|it| it.role != "RootWebArea").collect()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // If the browser is asked to end, it ends all its processes; a signal would end only the
        // one that we started.
        let close = json!({ "id": self.last_id + 1, "method": "Browser.close" });
        let asked = self.commands.write_all(format!("{close}\0").as_bytes());
        if asked.is_ok() {
            while self.messages.recv_timeout(Duration::from_secs(10)).is_ok() {}
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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
