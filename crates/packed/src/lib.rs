//! Files that gzip or zstd may have packed, read as they were before. They are told by their first bytes.

use std::error::Error;
use std::io::{self, BufReader, ErrorKind, Read};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder, StreamingDecoder};

/// The magic numbers of gzip (RFC 1952 section 2.3.1) and zstd (RFC 8878 section 3.1.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The bytes of a file, unpacked if gzip or zstd have packed them.
///
/// # Errors
/// If the file cannot be read, or if what is packed is broken; of the kind [`ErrorKind::UnexpectedEof`] if
/// the packed file ends too early.
pub fn unpacked(mut source: impl Read + 'static) -> io::Result<Box<dyn Read>> {
    let mut start = Vec::new();
    source.by_ref().take(ZSTD.len() as u64).read_to_end(&mut start)?;
    let is_gzip = start.starts_with(&GZIP);
    let is_zstd = start == ZSTD;
    let whole = io::Cursor::new(start).chain(source);
    // Whoever reads has a buffer of its own; a second one would copy all once more.
    let buffered = |whole| BufReader::with_capacity(1 << 17, whole);
    if is_gzip {
        Ok(Box::new(MultiGzDecoder::new(buffered(whole))))
    } else if is_zstd {
        Ok(Box::new(Frames { whole: Some(buffered(whole)), frame: None, failure: None }))
    } else {
        Ok(Box::new(whole))
    }
}

/// What can be read of a file that may be packed, and end too early: a copy that was broken off, or a
/// capture that still goes on.
pub struct Readable<R> {
    source: R,
    /// True once a packed file has ended too early.
    pub is_cut: bool,
}

impl<R: Read> Readable<R> {
    /// The file that this reader unpacks.
    pub fn new(source: R) -> Self {
        Self { source, is_cut: false }
    }
}

impl<R: Read> Read for Readable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.source.read(buffer) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                self.is_cut = true;
                Ok(0)
            }
            done => done,
        }
    }
}

/// The frames of zstd, one behind the other (RFC 8878 section 3.1).
struct Frames<R: io::BufRead> {
    /// What is behind the frame; `None` while a frame is read.
    whole: Option<R>,
    frame: Option<StreamingDecoder<R, FrameDecoder>>,
    /// The error that has ended the frame; `None` while there is none.
    failure: Option<io::Error>,
}

impl<R: io::BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(mut frame) = self.frame.take() {
                match frame.read(buffer) {
                    Ok(0) if !buffer.is_empty() => {}
                    Err(error) => {
                        let is_at_end = frame.get_mut().fill_buf()?.is_empty();
                        self.failure = Some(if is_at_end { early() } else { broken(&error) });
                        finish(&mut frame.decoder)?;
                        self.frame = Some(frame);
                        continue;
                    }
                    done => {
                        self.frame = Some(frame);
                        return done;
                    }
                }
                if let Some(failure) = self.failure.take() {
                    return Err(failure);
                }
                self.whole = Some(frame.into_inner());
            }
            let Some(mut whole) = self.whole.take() else { return Ok(0) };
            if whole.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let frame = StreamingDecoder::new(whole).map_err(|error| match ends_early(&error) {
                true => early(),
                false => broken(&error),
            });
            self.frame = Some(frame?);
        }
    }
}

/// Ends a frame behind its latest whole block, so that the decoder gives what it keeps for later blocks (the window, RFC
/// 8878 section 3.1.1.1.2).
fn finish(decoder: &mut FrameDecoder) -> io::Result<()> {
    /// An empty raw block that is the last one (the same, section 3.1.1.2), and the place of a checksum, which the decoder
    /// does not compare.
    const END: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];
    let done = decoder.decode_blocks(&END[..], BlockDecodingStrategy::All);
    done.map(|_| ()).map_err(|error| broken(&error))
}

fn early() -> io::Error {
    ErrorKind::UnexpectedEof.into()
}

fn broken(error: &dyn Error) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("it cannot be unpacked by zstd: {error}"))
}

/// True if an error, or one that has led to it, says that a file has ended too early.
fn ends_early(error: &(dyn Error + 'static)) -> bool {
    match error.downcast_ref::<io::Error>() {
        Some(error) => error.kind() == ErrorKind::UnexpectedEof,
        None => error.source().is_some_and(ends_early),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn read(packed: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        unpacked(io::Cursor::new(packed))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Also several packed files, one behind the other, and files shorter than a magic number.
    #[test]
    fn all_forms_have_the_same_bytes() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|index| (index / 7) as u8).collect();
        for part in [&bytes[..], b"", b"a", &GZIP[..1], &ZSTD[..3]] {
            assert_eq!(read(part.to_vec()).unwrap(), part);
            for pack in [gzip, zstd] {
                assert_eq!(read(pack(part)).unwrap(), part);
                let twice = [pack(part), pack(part)].concat();
                assert_eq!(read(twice).unwrap(), [part, part].concat());
            }
        }
    }

    #[test]
    fn an_early_end_is_told_from_an_error() {
        let bytes = vec![7; 100_000];
        for pack in [gzip, zstd] {
            let mut cut = pack(&bytes);
            cut.truncate(cut.len() - 5);
            assert_eq!(read(cut.clone()).unwrap_err().kind(), ErrorKind::UnexpectedEof);
            let mut readable = Readable::new(unpacked(io::Cursor::new(cut)).unwrap());
            io::copy(&mut readable, &mut io::sink()).unwrap();
            assert!(readable.is_cut);
        }
    }

    /// Two raw blocks of zstd in a frame whose window is longer than both, of which a decoder gives nothing before its end.
    #[test]
    fn what_is_before_the_damage_is_read() {
        let head = [&ZSTD[..], &[0b1010_0000], &1_000_000_u32.to_le_bytes()].concat();
        let block = |bytes: &[u8]| {
            let size = (bytes.len() as u32) << 3;
            [&size.to_le_bytes()[..3], bytes].concat()
        };
        let whole = [head, block(b"first"), block(b"second")].concat();
        let damaged = [&whole[..], &[0b110, 0, 0, 9]].concat();
        for (packed, kind, expected) in [
            (&whole[..], ErrorKind::UnexpectedEof, &b"firstsecond"[..]),
            (&whole[..whole.len() - 1], ErrorKind::UnexpectedEof, b"first"),
            (&damaged, ErrorKind::InvalidData, b"firstsecond"),
        ] {
            let mut bytes = Vec::new();
            let mut source = unpacked(io::Cursor::new(packed.to_vec())).unwrap();
            assert_eq!(source.read_to_end(&mut bytes).unwrap_err().kind(), kind);
            assert!(bytes.starts_with(expected), "{bytes:?}");
            assert_eq!(source.read(&mut [0]).unwrap(), 0);
        }
    }
}
