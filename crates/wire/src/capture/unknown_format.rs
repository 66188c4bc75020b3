//! Files that are not captures: their formats, and how to get a capture from them.

/// The format of a file of another kind, recognised by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    /// The format as a verb phrase: `is compressed with gzip`.
    pub what: &'static str,
    /// The way to get a readable file from this one; `None` if there is no way.
    pub remedy: Option<&'static str>,
}

/// The format of a file with this beginning; `None` if the format is not among those named here. A
/// few hundred bytes are enough.
pub fn unknown_format(start: &[u8]) -> Option<UnknownFormat> {
    let known = UNKNOWN_FORMATS.iter().find(|(magic, _)| start.starts_with(magic));
    known.map(|(_, unknown_format)| *unknown_format).or_else(|| is_page(start).then_some(PAGE))
}

/// The message for a file with this beginning, which is no capture.
pub(super) fn complaint(start: &[u8]) -> String {
    const WANTED: &str =
        "a capture in pcap or pcapng format is needed, as `tcpdump -w FILE` writes it";
    let (what, remedy) = match unknown_format(start) {
        Some(UnknownFormat { what, remedy }) => (what, remedy.unwrap_or(WANTED)),
        None if start.is_empty() => ("is empty", WANTED),
        None if start.iter().all(|byte| *byte == 0) => ("begins with zeros only", WANTED),
        None if is_text(start) => ("is a text", WANTED),
        None => {
            let bytes: Vec<_> = start.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            let bytes = bytes.join(" ");
            return format!(
                "the file begins with the bytes {bytes}, which are no capture's; {WANTED}"
            );
        }
    };
    format!("the file {what}; {remedy}")
}

/// The known formats, with their first bytes.
const UNKNOWN_FORMATS: &[(&[u8], UnknownFormat)] = &[
    (b"\x1f\x8b", with("is compressed with gzip", "decompress it first: `gzip -d FILE`")),
    (b"\x28\xb5\x2f\xfd", with("is compressed with zstd", "decompress it first: `zstd -d FILE`")),
    (b"\xfd7zXZ\0", with("is compressed with xz", "decompress it first: `xz -d FILE`")),
    (b"BZh", with("is compressed with bzip2", "decompress it first: `bzip2 -d FILE`")),
    (b"\x04\x22\x4d\x18", with("is compressed with lz4", "decompress it first: `lz4 -d FILE`")),
    (b"PK\x03\x04", with("is a zip archive", "unpack it first: `unzip FILE`")),
    (b"7z\xbc\xaf\x27\x1c", with("is a 7z archive", "unpack it first: `7z x FILE`")),
    (b"iptrace ", with("is an iptrace capture", CONVERT)),
    (
        b"btsnoop\0",
        with("is a capture of Bluetooth", "packets of the internet protocol are needed"),
    ),
    (b"XCP\0", with("is a NetXray capture", CONVERT)),
    (b"TRSNIFF data", with("is a Sniffer capture", CONVERT)),
    (b"RTSS", with("is a Network Monitor capture", CONVERT)),
    (b"GMBU", with("is a Network Monitor capture", CONVERT)),
    (b"\x7fver", with("is an OmniPeek capture", CONVERT)),
    (b"ObserverPktBuffe", with("is an Observer capture", CONVERT)),
    (b"PAR1", without("is a Parquet file")),
    (b"\x7fELF", without("is a program")),
    (b"%PDF", without("is a PDF document")),
];

const CONVERT: &str = "convert it first: `editcap -F pcapng FILE OUT.pcapng`";

const PAGE: UnknownFormat =
    with("is an HTML page", "perhaps the page that offers a file was saved, not the file");

const fn with(what: &'static str, remedy: &'static str) -> UnknownFormat {
    UnknownFormat { what, remedy: Some(remedy) }
}

const fn without(what: &'static str) -> UnknownFormat {
    UnknownFormat { what, remedy: None }
}

fn is_page(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    [&b"<!doctype html"[..], b"<html", b"<head", b"<script"]
        .iter()
        .any(|tag| start.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
}

/// True if a file with this beginning is a text.
pub(super) fn is_text(start: &[u8]) -> bool {
    let printable = |c: char| !c.is_control() || c.is_ascii_whitespace();
    match std::str::from_utf8(start) {
        Ok(text) => text.chars().all(printable),
        // The last character may have been cut in two.
        Err(error) => {
            error.error_len().is_none()
                && String::from_utf8_lossy(&start[..error.valid_up_to()]).chars().all(printable)
        }
    }
}
