//! Wireshark reads the same values from the same files.

mod support;

/// The name says which program is missing where these tests are not run.
mod needs_tshark {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use wire::{CaptureReader, LinkType, dissect};

    use super::support::foreign::{
        MAC_EPOCH, YEAR_2001, erf_record, etherpeek, snoop, snoop_record,
    };
    use super::support::{
        Bytes, KUZNETZOV, MICRO, NANO, ethernet, ipv4, ipv6, payload_len, tcp, udp,
    };

    fn tshark(arguments: &[&str], file: &Path) -> String {
        let output =
            Command::new("tshark").args(arguments).arg("-r").arg(file).output().expect("tshark");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// One line per record, as Wireshark sees it: number, time, lengths, then the packet.
    fn theirs(file: &Path) -> Vec<String> {
        let fields = [
            "frame.number",
            "frame.time_epoch",
            "frame.len",
            "frame.cap_len",
            "ip.len",
            "ipv6.plen",
            "ip.dsfield.dscp",
            "ipv6.tclass.dscp",
            "ip.dsfield.ecn",
            "ipv6.tclass.ecn",
            "ip.src",
            "ipv6.src",
            "ip.dst",
            "ipv6.dst",
            "tcp.srcport",
            "udp.srcport",
            "tcp.dstport",
            "udp.dstport",
            "tcp.len",
        ];
        let mut arguments = vec!["-n", "-T", "fields", "-E", "occurrence=f", "-o"];
        arguments.push("ip.defragment:FALSE");
        arguments.extend(fields.iter().flat_map(|field| ["-e", field]));
        tshark(&arguments, file).lines().map(theirs_in_our_words).collect()
    }

    fn theirs_in_our_words(line: &str) -> String {
        let fields: Vec<_> = line.split('\t').collect();
        // One of the fields of IPv4 and IPv6, and of TCP and UDP, is empty.
        let [number, time, len, cap_len, v4_len, v6_len, rest @ ..] = fields.as_slice() else {
            panic!("{line}")
        };
        let ip_len = match v6_len.parse::<u64>() {
            Ok(length) => (40 + length).to_string(),
            Err(_) => (*v4_len).to_owned(),
        };
        let pairs = rest.chunks(2).map(|pair| pair.concat());
        let head = [number, time, len, cap_len].map(|field| (*field).to_owned());
        head.into_iter().chain([ip_len]).chain(pairs).collect::<Vec<_>>().join(" ")
    }

    fn ours(file: &Path) -> Vec<String> {
        let mut capture = CaptureReader::new(fs::File::open(file).unwrap()).unwrap();
        let mut lines = Vec::new();
        while let Some(record) = capture.next().unwrap() {
            let nanos = record.time.unwrap().as_nanos();
            let (secs, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
            let (len, cap_len) = (record.original_len, record.data.len());
            let inside = match dissect(record.link_type, record.data, record.original_len) {
                Ok(view) => {
                    let ports = view.ports.map_or([String::new(), String::new()], |(from, to)| {
                        [from.to_string(), to.to_string()]
                    });
                    let payload = if view.protocol == 6 && view.ports.is_some() {
                        payload_len(&view).to_string()
                    } else {
                        String::new()
                    };
                    let [from, to] = ports;
                    format!(
                        "{} {} {} {} {} {from} {to} {payload}",
                        view.ip_len, view.dscp, view.ecn, view.source, view.destination
                    )
                }
                Err(_) => " ".repeat(7),
            };
            let number = record.number;
            lines.push(format!("{number} {secs}.{nanos:09} {len} {cap_len} {inside}"));
        }
        lines
    }

    /// Packets with what comes before them on Ethernet.
    fn frames() -> Vec<Vec<u8>> {
        let tagged = |tags: &[u8], packet: &[u8]| [&[2; 12], tags, packet].concat();
        let pppoe = [0x88, 0x64, 0x11, 0, 0, 1, 0, 59, 0, 0x21];
        let hop_by_hop = [17, 0, 1, 4, 0, 0, 0, 0];
        let mut padded = ethernet(0x0800, &ipv4(17, &udp(b"")));
        padded.resize(60, 0);
        let mut fragment = ipv4(17, &udp(b"12345678"));
        fragment[6..8].copy_from_slice(&[0, 1]);
        vec![
            ethernet(0x0800, &ipv4(6, &tcp(b"hello"))),
            ethernet(0x86dd, &ipv6(6, &tcp(&[0; 1000]))),
            padded,
            ethernet(0x86dd, &ipv6(0, &[&hop_by_hop[..], &udp(b"x")].concat())),
            tagged(&[0x81, 0, 0, 5, 8, 0], &ipv4(6, &tcp(&[0; 100]))),
            tagged(&[0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 0x86, 0xdd], &ipv6(17, &udp(&[0; 9]))),
            tagged(&pppoe, &ipv4(6, &tcp(b"hello"))),
            ethernet(0x0800, &fragment),
            ethernet(0x0806, &[0; 46]),
            ethernet(0x88cc, &[0; 46]),
        ]
    }

    fn written(name: &str, file: &Bytes) -> PathBuf {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, &file.bytes).unwrap();
        path
    }

    /// Checks that the file reads as in Wireshark, and has this many records.
    fn agree(path: &Path, records: usize) {
        let (ours, theirs) = (ours(path), theirs(path));
        assert_eq!(ours, theirs, "{}", path.display());
        assert_eq!(ours.len(), records, "{}", path.display());
    }

    #[test]
    fn pcap() {
        for big_endian in [false, true] {
            // Shorter snap lengths cut into TCP headers, of which Wireshark then shows less than we
            // do.
            for (magic, snap_len) in [(MICRO, 65_535), (NANO, 80)] {
                let mut file = Bytes::new(big_endian);
                file.pcap(magic, 1);
                for (index, frame) in frames().iter().enumerate() {
                    let data = &frame[..frame.len().min(snap_len)];
                    let second = 1_700_000_000 + index as u32;
                    file.record(second, 999_999 - index as u32, frame.len() as u32, data);
                }
                agree(&written(&format!("{magic:x}-{big_endian}.pcap"), &file), frames().len());
            }
            let mut file = Bytes::new(big_endian);
            file.pcap(KUZNETZOV, 1);
            for frame in frames() {
                file.long_record(7, 8, &frame);
            }
            agree(&written(&format!("modified-{big_endian}.pcap"), &file), frames().len());
        }
    }

    #[test]
    fn pcapng() {
        let mut file = Bytes::new(false);
        for big_endian in [false, true] {
            file.big_endian = big_endian;
            let offset: i64 = 1_600_000_000;
            let offset = if big_endian { offset.to_be_bytes() } else { offset.to_le_bytes() };
            file.section().interface(1, 0, &[]).interface(1, 0, &[(9, &[9])]);
            file.interface(1, 0, &[(9, &[0x80 | 20]), (14, &offset)]);
            for (index, frame) in frames().iter().enumerate() {
                let ticks = 1_234_567_891_234_567_u64 + index as u64;
                let (length, cut) = (frame.len() as u32, &frame[..frame.len().min(80)]);
                file.enhanced(0, ticks, length, frame).enhanced(1, ticks, length, cut);
                file.block(0x0bad_cafe, b"of no concern").obsolete(1, ticks, length, frame);
                file.enhanced(2, (index as u64) << 17 | 12_345, length, frame);
            }
        }
        agree(&written("sections.pcapng", &file), 2 * 4 * frames().len());
    }

    #[test]
    fn captures_of_other_programs() {
        let mut sun = snoop(2, 4);
        let (mut old, mut new) = (etherpeek(6, 0, 0), etherpeek(7, 0, 0));
        let mut card = Bytes::new(true);
        for (index, frame) in frames().iter().enumerate() {
            let (length, padding) = (frame.len() as u32, frame.len().next_multiple_of(4));
            snoop_record(&mut sun, length + 9, frame, padding - frame.len());
            let (sliced, data) = (frame.len().min(80), &frame[..frame.len().min(80)]);
            old.u16(frame.len() as u16).u16(sliced as u16).raw(&[0, 0]).u32(index as u32);
            old.raw(&[0; 16]).raw(data);
            // A status of 1 means that there is no frame check sequence.
            let micros = u64::from(MAC_EPOCH + YEAR_2001) * 1_000_000 + index as u64;
            new.u16(0).u16(frame.len() as u16).u16(sliced as u16).raw(&[0, 1]).u64(micros);
            new.raw(data).raw(&[0][..sliced % 2]);
            // The frame check sequence belongs to the frame, the padding behind it does not.
            let rest = [&[0, 0], &frame[..], &[0; 4 + 3]].concat();
            erf_record(&mut card, 2, 4, frame.len() as u16 + 4, &rest);
        }
        for (name, file) in
            [("sun.snoop", sun), ("old.pkt", old), ("new.pkt", new), ("card.erf", card)]
        {
            agree(&written(name, &file), frames().len());
        }
    }

    #[test]
    fn what_stands_before_the_packet() {
        let packets = [ipv4(6, &tcp(b"hello")), ipv4(17, &udp(b"x")), ipv4(1, &[8; 16])];
        let cooked: &[u8] = &[0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0];
        let cooked2: &[u8] = &[8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0];
        let mut file = Bytes::new(false);
        file.section();
        let link_types = [
            (LinkType::RAW, &[][..]),
            (LinkType::IPV4, &[]),
            (LinkType(12), &[]),
            (LinkType(14), &[]),
            (LinkType::SLL, cooked),
            (LinkType::SLL2, cooked2),
            (LinkType::NULL, &[2, 0, 0, 0]),
            (LinkType::LOOP, &[0, 0, 0, 2]),
            (LinkType::PPP, &[0xff, 3, 0, 0x21]),
        ];
        for (interface, (LinkType(link_type), header)) in link_types.into_iter().enumerate() {
            file.interface(link_type, 0, &[]);
            for packet in &packets {
                let data = [header, packet].concat();
                file.enhanced(interface as u32, 7, data.len() as u32, &data);
            }
        }
        agree(&written("link-types.pcapng", &file), link_types.len() * packets.len());
    }

    /// Files in the formats that Wireshark writes read as what they were.
    #[test]
    fn formats_that_wireshark_writes() {
        let mut file = Bytes::new(false);
        file.pcap(MICRO, 1);
        for (index, frame) in frames().iter().enumerate() {
            file.record(1_700_000_000, index as u32, frame.len() as u32 + 9, frame);
        }
        let path = written("original.pcap", &file);
        for format in ["pcap", "nsecpcap", "modpcap", "pcapng", "snoop"] {
            let copy = path.with_file_name(format!("copy.{format}"));
            tshark(&["-F", format, "-w", copy.to_str().unwrap()], &path);
            assert_eq!(ours(&copy), ours(&path), "{format}");
            agree(&copy, frames().len());
        }
    }
}
