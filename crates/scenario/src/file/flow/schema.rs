//! The schema of a flow: one alternative for each kind of traffic, with the keys of that kind.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{
    BulkFile, CbrFile, CommonFile, FlowFile, PackmimeFile, PageFile, PeriodicFile, PingFile,
    TcpFile, TrafficKind, TransferFile, VoipFile,
};
use crate::tree::keys_of;

impl JsonSchema for FlowFile {
    fn schema_name() -> Cow<'static, str> {
        "Flow".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds = TrafficKind::ALL.map(|kind| alternative(kind, generator));
        json_schema!({
            "description": "Data from one node to another. Which keys there are depends on `traffic`.",
            "oneOf": kinds,
        })
    }
}

/// The schema of a flow of this kind.
fn alternative(kind: TrafficKind, generator: &mut SchemaGenerator) -> Value {
    let own = match kind {
        TrafficKind::Bulk => BulkFile::json_schema(generator),
        TrafficKind::Transfer => TransferFile::json_schema(generator),
        TrafficKind::Periodic => PeriodicFile::json_schema(generator),
        TrafficKind::Cbr => CbrFile::json_schema(generator),
        TrafficKind::Voip => VoipFile::json_schema(generator),
        TrafficKind::Ping => PingFile::json_schema(generator),
        TrafficKind::Page => PageFile::json_schema(generator),
        TrafficKind::Packmime => PackmimeFile::json_schema(generator),
    };
    let description = own.get("description").cloned();
    let (mut properties, mut required) = (Map::new(), vec![json!("traffic")]);
    properties.insert("traffic".into(), json!({ "const": kind.word() }));
    for part in [CommonFile::json_schema(generator), own] {
        let part = part.to_value();
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    if kind.is_tcp() {
        let tcp = generator.subschema_for::<TcpFile>().to_value();
        let tcp = tcp["$ref"].as_str().expect("a struct has a schema of its own").to_owned();
        let key =
            |key: &&str| (key.to_string(), json!({ "$ref": format!("{tcp}/properties/{key}") }));
        properties.extend(keys_of::<TcpFile>().iter().map(key));
    }
    json!({
        "title": kind.word(),
        "description": description,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
