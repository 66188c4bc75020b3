//! The verification document: what `unbloat fix --verify --json` prints.

use serde::{Deserialize, Serialize};

use crate::Version;

/// A plan beside what a router shows.
///
/// It is what `unbloat fix --verify FILE --json` prints. A later release may add fields without a
/// new version number: readers ignore what they do not know, and the JSON Schema allows it. It may
/// add names too, which only its own JSON Schema has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verification {
    /// `"unbloat.verification"`; reading anything else is an error.
    pub schema: VerificationSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// Name of the platform: `openwrt`.
    pub platform: String,
    /// True if all settings are as planned.
    pub in_force: bool,
    /// Each setting of the plan, in its order.
    pub settings: Vec<CheckedSetting>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum VerificationSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.verification")]
    Verification,
}

/// A setting of a plan beside that of a router.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedSetting {
    /// Name of the setting on the platform: `sqm.unbloat.download`.
    pub name: String,
    /// What the plan makes it; empty if the plan leaves it out.
    pub planned: String,
    /// What the router shows; `None` if it shows no such setting.
    pub shown: Option<String>,
}

impl CheckedSetting {
    /// True if the router has what the plan makes it.
    pub fn is_as_planned(&self) -> bool {
        self.shown.as_deref().unwrap_or_default() == self.planned
    }
}

impl Verification {
    /// The verification of these settings.
    pub fn of(platform: &str, settings: Vec<CheckedSetting>) -> Self {
        let in_force = settings.iter().all(CheckedSetting::is_as_planned);
        Self { platform: platform.to_owned(), in_force, settings, ..Self::default() }
    }
}
