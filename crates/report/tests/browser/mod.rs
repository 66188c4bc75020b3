//! A real browser with one page: Chromium or Firefox. What tests do with it is the same in both; each has a
//! protocol of its own.

mod chromium;
pub(crate) mod example;
mod firefox;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use chromium::Chromium;
use firefox::Firefox;

/// Makes a test in Chromium and one in Firefox of each of these functions. Their names contain `needs_chromium` and
/// `needs_firefox`, so that those of a browser that is not installed can be skipped.
macro_rules! in_each_browser {
    ($($test:ident),+ $(,)?) => {
        mod needs_chromium {
            $(#[test] fn $test() { super::$test($crate::browser::Kind::Chromium); })+
        }
        mod needs_firefox {
            $(#[test] fn $test() { super::$test($crate::browser::Kind::Firefox); })+
        }
    };
}
pub(crate) use in_each_browser;

/// Longest wait for a browser, which is slow on a busy machine.
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

/// Which browser.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// By the Chrome DevTools protocol.
    Chromium,
    /// By WebDriver BiDi.
    Firefox,
}

/// One step of a mouse, in CSS pixels of the window.
#[derive(Clone, Copy)]
enum Mouse {
    To((f64, f64)),
    Press,
    Release,
}

/// A key that is pressed and released.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    /// The blank.
    Space,
    /// To the next element.
    Tab,
    /// Enter.
    Enter,
    /// The arrow to the right.
    Right,
    /// The plus sign.
    Plus,
    /// Escape.
    Escape,
}

/// What the user has asked of all pages.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wishes {
    /// Dark colours, in place of light ones.
    pub(crate) dark: bool,
    /// Less motion.
    pub(crate) still: bool,
}

/// What a browser tells a screen reader about an element that can have the focus.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// The role, in the words of the browser.
    pub(crate) role: String,
    /// The name; empty without one.
    pub(crate) name: String,
}

/// What each browser does by its own protocol.
trait Protocol {
    /// Opens a page, waits until it is loaded, and forgets the complaints and requests of earlier ones.
    fn navigate(&mut self, url: &str);
    /// The result of a script, which is awaited.
    fn evaluate(&mut self, script: &str) -> Value;
    /// All errors since the page was opened: exceptions, errors on the console, violations of the page's policy.
    fn complaints(&mut self) -> Vec<String>;
    /// The addresses of all requests since the page was opened, except that for a file.
    fn requests(&self) -> Vec<String>;
    fn mouse(&mut self, steps: &[Mouse]);
    fn press(&mut self, key: Key);
    /// The size of the window in CSS pixels; a phone has three pixels of the screen for each.
    fn viewport(&mut self, width: u32, height: u32, is_phone: bool);
    fn wish(&mut self, wishes: Wishes);
    /// The page on A4 paper, as PDF in base64.
    fn print(&mut self) -> String;
    /// Runs a script that saves a file, and waits until it is in this folder.
    fn save(&mut self, script: &str, folder: &Path);
    /// The elements that can have the focus, as a screen reader learns of them.
    fn told(&mut self) -> Vec<Told>;
}

/// A browser with one page.
pub(crate) struct Browser {
    protocol: Box<dyn Protocol>,
    /// The page and what it saves; removed when the browser has ended.
    folder: Folder,
}

impl Browser {
    /// A browser with a window of this size, in CSS pixels. `name` distinguishes it from those of other tests.
    pub(crate) fn start(kind: Kind, name: &str, width: u32, height: u32) -> Self {
        let folder = Folder::new(&format!("{kind:?}-{name}"));
        let protocol: Box<dyn Protocol> = match kind {
            Kind::Chromium => Box::new(Chromium::start(&folder.join("profile"))),
            Kind::Firefox => Box::new(Firefox::start()),
        };
        let mut browser = Self { protocol, folder };
        browser.viewport(width, height, false);
        browser
    }

    /// Writes the page to a file, opens it, and waits until all is drawn. Returns the time that it
    /// took, in milliseconds.
    pub(crate) fn open(&mut self, html: &str) -> f64 {
        let file = self.folder.join("page.html");
        fs::write(&file, html).unwrap();
        self.protocol.navigate(&format!("file://{}", file.display()));
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
        self.protocol.evaluate(script)
    }

    /// All errors since the page was opened: exceptions, errors on the console, violations of the
    /// page's policy.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        self.protocol.complaints()
    }

    /// The addresses of all requests since the page was opened, except that for a file.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.protocol.requests()
    }

    /// Waits until the page has handled events and has drawn the result: scripts and frames
    /// alternate, and the second frame begins after the first is on the screen.
    pub(crate) fn settle(&mut self) {
        self.evaluate(&format!("{TWO_FRAMES}.then(() => null)"));
    }

    pub(crate) fn point(&mut self, at: (f64, f64)) {
        self.protocol.mouse(&[Mouse::To(at)]);
        self.settle();
    }

    pub(crate) fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.protocol.mouse(&[Mouse::To(from), Mouse::Press, Mouse::To(to), Mouse::Release]);
        self.settle();
    }

    pub(crate) fn double_click(&mut self, at: (f64, f64)) {
        let click = [Mouse::Press, Mouse::Release];
        self.protocol.mouse(&[[Mouse::To(at)].as_slice(), &click, &click].concat());
        self.settle();
    }

    pub(crate) fn press(&mut self, key: Key) {
        self.protocol.press(key);
        self.settle();
    }

    /// The size of the window in CSS pixels; a phone has three pixels of the screen for each.
    pub(crate) fn viewport(&mut self, width: u32, height: u32, is_phone: bool) {
        self.protocol.viewport(width, height, is_phone);
    }

    /// What the user asks of all pages from now on.
    pub(crate) fn wish(&mut self, wishes: Wishes) {
        self.protocol.wish(wishes);
        self.settle();
    }

    /// The page on A4 paper, as PDF in base64.
    pub(crate) fn print(&mut self) -> String {
        self.protocol.print()
    }

    /// Runs a script that saves a file of this name, and reads it.
    pub(crate) fn saved(&mut self, script: &str, name: &str) -> String {
        let folder = self.folder.join("downloads");
        fs::create_dir_all(&folder).unwrap();
        self.protocol.save(script, &folder);
        fs::read_to_string(folder.join(name)).unwrap()
    }

    /// The elements that can have the focus, as a screen reader learns of them.
    pub(crate) fn told(&mut self) -> Vec<Told> {
        self.protocol.told()
    }
}

/// A folder that ends with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        Self(temporary(name))
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An empty folder of this name.
fn temporary(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The first of these programs that is installed.
fn program(names: &[&str], kind: &str) -> String {
    let mut find = String::from("false");
    for name in names {
        write!(find, " || command -v {name}").expect("a string has room");
    }
    let found = Command::new("sh").args(["-c", &find]).output().expect("sh starts");
    let name = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    assert!(
        !name.is_empty(),
        "this test looks at pages in a real browser: install {} (Debian: apt-get install {}), or skip it: \
         cargo test -- --skip needs_{kind}",
        names[0],
        names[0],
    );
    name
}
