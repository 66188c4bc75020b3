//! Reading a flow: the same table is read once for each part.

use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{CommonFile, FlowFile, TrafficFile, TrafficKind};
use crate::suggest;
use crate::tree::AGAIN;

/// The keys of all flows.
static KEYS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut keys = Vec::new();
    for key in TrafficKind::ALL.iter().flat_map(|kind| kind.keys()) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
});

impl<'de> Deserialize<'de> for FlowFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(AGAIN, FlowVisitor)
    }
}

/// Reads the same table for its keys, and for each part of a flow.
struct FlowVisitor;

impl<'de> Visitor<'de> for FlowVisitor {
    type Value = FlowFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a flow")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut table: A) -> Result<FlowFile, A::Error> {
        let given = table.next_element_seed(Keys { foreign: None })?.unwrap_or_default();
        let common: CommonFile = again(&mut table)?;
        let (kind, known) = (common.traffic, common.traffic.keys());
        if let Some(key) = given.into_iter().find(|key| !known.contains(&key.as_str())) {
            table.next_element_seed(Keys { foreign: Some(Foreign { key, kind }) })?;
        }
        let traffic = match kind {
            TrafficKind::Bulk => TrafficFile::Bulk(again(&mut table)?),
            TrafficKind::Transfer => TrafficFile::Transfer(again(&mut table)?),
            TrafficKind::Periodic => TrafficFile::Periodic(again(&mut table)?),
            TrafficKind::Cbr => TrafficFile::Cbr(again(&mut table)?),
            TrafficKind::Voip => TrafficFile::Voip(again(&mut table)?),
            TrafficKind::Ping => TrafficFile::Ping(again(&mut table)?),
            TrafficKind::Page => TrafficFile::Page(again(&mut table)?),
            TrafficKind::Packmime => TrafficFile::Packmime(again(&mut table)?),
        };
        let tcp = kind.is_tcp().then(|| again(&mut table)).transpose()?;
        Ok(FlowFile { common, traffic, tcp })
    }
}

fn again<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(table: &mut A) -> Result<T, A::Error> {
    table.next_element()?.ok_or_else(|| A::Error::custom("a table that is read once only"))
}

/// Reads the keys of a table that have a value. A key that no flow has is an error, and so is the
/// `foreign` key, so that the error lies at the key.
struct Keys {
    foreign: Option<Foreign>,
}

/// A key that a flow of this kind does not have, but others have.
struct Foreign {
    key: String,
    kind: TrafficKind,
}

impl<'de> DeserializeSeed<'de> for Keys {
    type Value = Vec<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<String>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a flow")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Vec<String>, A::Error> {
        let mut given = Vec::new();
        while let Some(key) = table.next_key_seed(Key(&self))? {
            if table.next_value::<Option<IgnoredAny>>()?.is_some() {
                given.push(key);
            }
        }
        Ok(given)
    }
}

struct Key<'a>(&'a Keys);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let key = String::deserialize(deserializer)?;
        match &self.0.foreign {
            Some(foreign) if foreign.key == key => Err(D::Error::custom(foreign)),
            _ if !KEYS.contains(&key.as_str()) => Err(D::Error::unknown_field(&key, &KEYS)),
            _ => Ok(key),
        }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, kind } = self;
        let own = suggest::list(kind.own_keys());
        write!(f, "a `{}` has no key `{key}`; its own keys are {own}", kind.word())
    }
}
