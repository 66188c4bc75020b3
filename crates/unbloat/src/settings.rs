//! Defaults of the user's own: from the environment, and from a file.

#[cfg(feature = "setup")]
mod file;

use std::path::PathBuf;

use clap::ValueEnum;
use routers::Platform;
use units::nearest;

use crate::failure::Failure;
use crate::terminal::{When, variable};

/// A setting that a user can have.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// The environment variable of the same meaning.
    pub(crate) variable: &'static str,
    /// The built-in default, in words.
    pub(crate) default: &'static str,
    /// The verbs and options that it stands in for.
    pub(crate) purpose: &'static str,
}

/// All settings.
pub(crate) const KEYS: [Key; 5] = [
    Key {
        name: "server",
        variable: "UNBLOAT_SERVER",
        default: "",
        purpose: "HOST of test and fix, --test-server of watch",
    },
    Key {
        name: "token-file",
        variable: "UNBLOAT_TOKEN_FILE",
        default: "",
        purpose: "--token-file for that server",
    },
    Key {
        name: "platform",
        variable: "UNBLOAT_PLATFORM",
        default: "",
        purpose: "--for of fix: the router's system",
    },
    Key {
        name: "store",
        variable: "UNBLOAT_STORE",
        default: "",
        purpose: "--store of watch: the folder that keeps all",
    },
    Key { name: "color", variable: "NO_COLOR", default: "auto", purpose: "--color of all verbs" },
];

/// The place from which a setting comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Environment(&'static str),
    /// The configuration file, at this line.
    #[cfg_attr(not(feature = "setup"), expect(dead_code, reason = "there is no file"))]
    Line(usize),
}

/// A setting and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) value: String,
    pub(crate) origin: Origin,
}

/// The settings that are in force.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// By the order of [`KEYS`].
    values: [Option<Setting>; KEYS.len()],
}

impl Settings {
    /// The settings of the environment, and of the file where the environment has none.
    ///
    /// # Errors
    /// If the file has a mistake, or if a value means nothing.
    pub(crate) fn load() -> Result<Self, Failure> {
        #[cfg(feature = "setup")]
        let mut settings = file::read()?;
        #[cfg(not(feature = "setup"))]
        let mut settings = Self::default();
        for (key, value) in KEYS.iter().zip(&mut settings.values) {
            let Some(text) = variable(key.variable).filter(|text| !text.is_empty()) else {
                continue;
            };
            let text = text.to_string_lossy().into_owned();
            // NO_COLOR has no values: it is there, or it is not (<https://no-color.org>).
            let text = if key.name == "color" { "never".to_owned() } else { text };
            let wrong = |why| Failure::Input(format!("{}: {why}", key.variable));
            check(key, &text).map_err(wrong)?;
            *value = Some(Setting { value: text, origin: Origin::Environment(key.variable) });
        }
        Ok(settings)
    }

    /// The setting of this name; `None` if the user has none.
    pub(crate) fn get(&self, name: &str) -> Option<&Setting> {
        let index = KEYS.iter().position(|key| key.name == name)?;
        self.values[index].as_ref()
    }

    /// Its value.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        self.get(name).map(|setting| setting.value.clone())
    }

    /// Its value as a path, in which `~/` is the home folder.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let value = self.value(name)?;
        let home = variable("HOME").filter(|home| !home.is_empty());
        Some(match (value.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
            _ => value.into(),
        })
    }

    /// The times at which there are colours.
    pub(crate) fn color(&self) -> When {
        let value = self.value("color");
        value.and_then(|value| When::from_str(&value, false).ok()).unwrap_or_default()
    }

    /// The system of the router.
    pub(crate) fn platform(&self) -> Option<&'static Platform> {
        self.value("platform").and_then(|name| Platform::named(&name))
    }
}

/// The configuration file, whether it is there or not; `None` if this program reads none, or if there
/// is no home folder.
pub(crate) fn path() -> Option<PathBuf> {
    if cfg!(not(feature = "setup")) {
        return None;
    }
    let folder = |name: &str| {
        let folder = variable(name).map(PathBuf::from);
        // The specification has relative paths ignored.
        folder.filter(|folder| folder.is_absolute())
    };
    let folder = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Some(folder?.join("unbloat").join("config.toml"))
}

/// Fails if the setting cannot have this value.
fn check(key: &Key, value: &str) -> Result<(), String> {
    let among = |known: &[&str]| match known.contains(&value) {
        true => Ok(()),
        false => Err(unknown("value", value, known)),
    };
    match key.name {
        "color" => among(&["auto", "always", "never"]),
        "platform" => {
            let names: Vec<&str> = Platform::ALL.iter().map(|platform| platform.name).collect();
            among(&names)
        }
        _ if value.trim().is_empty() => Err("it is empty; leave the line out".into()),
        _ => Ok(()),
    }
}

/// The message for an unknown word, with the one that was probably meant.
fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    let word_shown = units::Excerpt(word);
    match nearest(word, known) {
        Some(near) => format!("there is no {what} {word_shown}; did you mean `{near}`?"),
        None => format!("there is no {what} {word_shown}; there are {}", known.join(", ")),
    }
}
