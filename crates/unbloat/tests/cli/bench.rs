//! A folder of its own for each test, and the program run in it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A good scenario, `good.toml` in each folder.
pub(crate) const SCENARIO: &str = r#"title = "A test"
duration = "5s"
warmup = "1s"
seed = 1

[[link]]
name = "uplink"
from = "home"
to = "isp"
rate = "1mbit"
delay = "10ms"
queue = "pfifo limit 100"
[link.reverse]
queue = "fq_codel"

[[flow]]
name = "backup"
from = "home"
to = "isp"
traffic = "bulk"

[[flow]]
name = "ping"
from = "home"
to = "isp"
traffic = "ping"
interval = "100ms"
"#;

/// The folder.
pub(crate) struct Bench {
    folder: PathBuf,
}

/// The result of a run.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    /// A folder with only `good.toml`.
    pub(crate) fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let bench = Self { folder };
        bench.write("good.toml", SCENARIO.as_bytes());
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// All names in the folder, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unbloat"));
        command.args(arguments).current_dir(&self.folder);
        // Settings of whoever runs the tests are none of theirs.
        command.env("XDG_CONFIG_HOME", self.path("config")).env("HOME", &self.folder);
        for name in ["SERVER", "TOKEN_FILE", "PLATFORM", "STORE"] {
            command.env_remove(format!("UNBLOAT_{name}"));
        }
        command.env_remove("NO_COLOR").env_remove("COLUMNS").env_remove("TERM");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Self::ended(self.command(arguments))
    }

    /// Runs with this text on stdin.
    pub(crate) fn run_with(&self, input: &[u8], arguments: &[&str]) -> Run {
        self.write(".stdin", input);
        let mut command = self.command(arguments);
        command.stdin(fs::File::open(self.path(".stdin")).unwrap());
        let run = Self::ended(command);
        fs::remove_file(self.path(".stdin")).unwrap();
        run
    }

    /// Runs with these environment variables.
    pub(crate) fn run_in(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Run {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        Self::ended(command)
    }

    fn ended(mut command: Command) -> Run {
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).expect("what we print is UTF-8");
        Run {
            code: output.status.code().expect("no signal ends us"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Run {
    /// Bad input: exit code 2, nothing on stdout, and all of these parts on stderr.
    pub(crate) fn is_refused(&self, parts: &[&str]) {
        assert_eq!(self.code, 2, "{}", self.stderr);
        assert_eq!(self.stdout, "");
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} in\n{}", self.stderr);
        }
    }
}
