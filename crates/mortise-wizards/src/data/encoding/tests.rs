use super::*;

#[track_caller]
fn check(bytes: &[u8], name: &str, python: &str, text: &str) {
    let encoding = Encoding::detect(bytes, true);
    assert_eq!((encoding.name().as_str(), encoding.python_name().as_str()), (name, python));
    assert_eq!(encoding.decode(bytes, true), text);
    // One byte at a time, so that every character is cut somewhere.
    let mut slow = String::new();
    encoding.reader(OneByte(bytes)).read_to_string(&mut slow).unwrap();
    assert_eq!(slow, text);
}

struct OneByte<'a>(&'a [u8]);

impl Read for OneByte<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.len().min(buffer.len()).min(1);
        self.0.read(&mut buffer[..length])
    }
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn marks_are_read_and_left_out() {
    check("\u{feff}naïve".as_bytes(), "utf-8", "utf-8-sig", "naïve");
    check(&utf16("\u{feff}naïve,1\n", false), "utf-16le", "utf-16", "naïve,1\n");
    check(&utf16("\u{feff}naïve,1\n", true), "utf-16be", "utf-16", "naïve,1\n");
}

#[test]
fn without_a_mark_the_bytes_tell() {
    check("naïve 日本".as_bytes(), "utf-8", "utf-8", "naïve 日本");
    check(b"", "utf-8", "utf-8", "");
    check(&utf16("id,name\n1,Ann\n", false), "utf-16le", "utf-16le", "id,name\n1,Ann\n");
    check(b"id,name\n1,Andr\xe9\n2,Zo\xeb\n", "windows-1252", "windows-1252", "id,name\n1,André\n2,Zoë\n");
}

#[test]
fn python_is_told_its_own_name_for_what_the_web_reads() {
    for (encoding, python) in [
        (encoding_rs::SHIFT_JIS, "cp932"),
        (encoding_rs::EUC_KR, "cp949"),
        (encoding_rs::GBK, "gb18030"),
        (encoding_rs::BIG5, "big5hkscs"),
        (encoding_rs::WINDOWS_874, "cp874"),
        (encoding_rs::WINDOWS_1252, "windows-1252"),
    ] {
        let encoding = Encoding { encoding, bom: false, guessed: true };
        assert_eq!(encoding.python_name(), python);
    }
    assert_eq!(Encoding::encode_for_python("①,㈱\n", "cp932"), b"\x87\x40,\x87\x8a\n");
    assert_eq!(Encoding::encode_for_python("é", "windows-1252"), b"\xe9");
    assert_eq!(Encoding::encode_for_python("é", "utf-8-sig"), "é".as_bytes());
}

#[test]
fn a_character_cut_by_the_sample_is_no_fault() {
    let bytes = "aé".as_bytes();
    assert_eq!(Encoding::detect(&bytes[..2], false).name(), "utf-8");
    assert_ne!(Encoding::detect(&bytes[..2], true).name(), "utf-8");
}

#[test]
fn what_cannot_be_decoded_is_counted() {
    let encoding = Encoding::detect(b"plain", true);
    let mut reader = encoding.reader(&b"a\xffb\xffc"[..]);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), reader.malformed()), ("a\u{fffd}b\u{fffd}c", 2));
}
