//! The encoding of a file: named by its byte order mark, proved by its bytes, or guessed.

use std::io::{self, BufRead, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, Decoder, UTF_8, UTF_16BE, UTF_16LE};

/// How the bytes of a file become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    encoding: &'static encoding_rs::Encoding,
    /// Whether the file begins with a byte order mark.
    pub bom: bool,
    /// Whether it was only guessed.
    pub guessed: bool,
}

impl Encoding {
    /// The encoding of a file that begins with these bytes; `complete` if that is all of it.
    pub fn detect(bytes: &[u8], complete: bool) -> Self {
        if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
            return Self { encoding, bom: true, guessed: false };
        }
        let certain = |encoding| Self { encoding, bom: false, guessed: false };
        if let Some(encoding) = wide(bytes) {
            return Self { guessed: true, ..certain(encoding) };
        }
        match std::str::from_utf8(bytes) {
            Ok(_) => return certain(UTF_8),
            // Cut in the middle of a character.
            Err(error) if error.error_len().is_none() && !complete => return certain(UTF_8),
            Err(_) => {}
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes, complete);
        Self { guessed: true, ..certain(detector.guess(None, Utf8Detection::Deny)) }
    }

    /// The name, in lower case: `utf-8`, `windows-1252`.
    pub fn name(&self) -> String {
        self.encoding.name().to_ascii_lowercase()
    }

    /// What Python calls it, for `open(encoding=…)`.
    pub fn python_name(&self) -> String {
        match self.bom {
            true if self.encoding == UTF_8 => "utf-8-sig".to_owned(),
            true => "utf-16".to_owned(),
            false => {
                let other = PYTHON_NAMES.iter().find(|(own, _)| *own == self.encoding);
                other.map_or_else(|| self.name(), |(_, python)| (*python).to_owned())
            }
        }
    }

    /// Encodes a text for a Python program that reads it by this name. An unknown name gives UTF-8.
    pub(crate) fn encode_for_python(text: &str, name: &str) -> Vec<u8> {
        let by_python = || PYTHON_NAMES.iter().find(|(_, python)| *python == name).map(|(own, _)| *own);
        match encoding_rs::Encoding::for_label(name.as_bytes()).or_else(by_python) {
            Some(encoding) => encoding.encode(text).0.into_owned(),
            None => text.as_bytes().to_vec(),
        }
    }

    /// Decodes a beginning of a file; what is malformed becomes a replacement character.
    pub(crate) fn decode(&self, bytes: &[u8], complete: bool) -> String {
        let mut decoder = self.encoding.new_decoder_with_bom_removal();
        let room = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len() * 3);
        let mut text = String::with_capacity(room);
        // The capacity suffices, so nothing is left over.
        let _ = decoder.decode_to_string(bytes, &mut text, complete);
        text
    }

    pub(crate) fn reader<R: Read>(&self, inner: R) -> Decoding<R> {
        Decoding {
            inner,
            decoder: self.encoding.new_decoder_with_bom_removal(),
            raw: vec![0; RAW].into_boxed_slice(),
            raw_range: (0, 0),
            text: vec![0; RAW * 3 + 16].into_boxed_slice(),
            text_range: (0, 0),
            state: DecodeState::Reading,
            malformed: 0,
        }
    }
}

/// Encodings for which Python has another name. What WHATWG calls by the name of a standard is the wider encoding that
/// vendors made of it, for Japanese with `①` and `㈱`; under that name Python keeps to the standard and refuses them.
static PYTHON_NAMES: [(&encoding_rs::Encoding, &str); 7] = [
    (encoding_rs::SHIFT_JIS, "cp932"),
    (encoding_rs::EUC_KR, "cp949"),
    (encoding_rs::GBK, "gb18030"),
    (encoding_rs::BIG5, "big5hkscs"),
    (encoding_rs::WINDOWS_874, "cp874"),
    (encoding_rs::ISO_8859_8_I, "iso-8859-8"),
    (encoding_rs::X_MAC_CYRILLIC, "mac_cyrillic"),
];

/// UTF-16 without a mark: half of the bytes are zero, always the same half.
fn wide(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let start = &bytes[..bytes.len().min(4096) & !1];
    if start.len() < 8 {
        return None;
    }
    let zeros = |offset: usize| start.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, pairs) = (zeros(0), zeros(1), start.len() / 2);
    match () {
        () if odd * 10 > pairs * 4 && even * 20 < pairs => Some(UTF_16LE),
        () if even * 10 > pairs * 4 && odd * 20 < pairs => Some(UTF_16BE),
        () => None,
    }
}

const RAW: usize = 64 << 10;

#[derive(PartialEq, Eq)]
enum DecodeState {
    Reading,
    Ending,
    Ended,
}

/// Text in UTF-8 out of bytes in any encoding.
pub(crate) struct Decoding<R> {
    inner: R,
    decoder: Decoder,
    raw: Box<[u8]>,
    raw_range: (usize, usize),
    text: Box<[u8]>,
    text_range: (usize, usize),
    state: DecodeState,
    malformed: u64,
}

impl<R> Decoding<R> {
    /// How often bytes could not be decoded so far.
    pub(crate) fn malformed(&self) -> u64 {
        self.malformed
    }
}

impl<R: Read> BufRead for Decoding<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.text_range.0 == self.text_range.1 && self.state != DecodeState::Ended {
            if self.raw_range.0 == self.raw_range.1 && self.state == DecodeState::Reading {
                let read = match self.inner.read(&mut self.raw) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read?,
                };
                self.raw_range = (0, read);
                if read == 0 {
                    self.state = DecodeState::Ending;
                }
            }
            let last = self.state == DecodeState::Ending;
            let source = &self.raw[self.raw_range.0..self.raw_range.1];
            let (result, read, written, _) = self.decoder.decode_to_utf8(source, &mut self.text, last);
            self.malformed += replacements(&self.text[..written]);
            self.raw_range.0 += read;
            self.text_range = (0, written);
            if last && result == CoderResult::InputEmpty {
                self.state = DecodeState::Ended;
            }
        }
        Ok(&self.text[self.text_range.0..self.text_range.1])
    }

    fn consume(&mut self, amount: usize) {
        self.text_range.0 = (self.text_range.0 + amount).min(self.text_range.1);
    }
}

/// Replacement characters, which data has only where bytes were lost.
fn replacements(text: &[u8]) -> u64 {
    // Its first byte hardly occurs in any other text, so the search is over at once.
    let mut count = 0;
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == 0xEF) {
        count += u64::from(rest[at..].starts_with("\u{fffd}".as_bytes()));
        rest = &rest[at + 1..];
    }
    count
}

/// `read` of a reader that has its own buffer.
pub(crate) fn read_from_buffer(reader: &mut impl BufRead, buffer: &mut [u8]) -> io::Result<usize> {
    let length = reader.fill_buf()?.read(buffer)?;
    reader.consume(length);
    Ok(length)
}

impl<R: Read> Read for Decoding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_from_buffer(self, buffer)
    }
}

#[cfg(test)]
mod tests;
