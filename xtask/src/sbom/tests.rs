use std::collections::BTreeSet;

use super::*;

/// The real workspace: its lock file, its packages and its record.
fn real() -> Value {
    let file = tempfile::NamedTempFile::new().unwrap();
    run(&Workspace::find().unwrap(), file.path()).unwrap();
    serde_json::from_str(&fs::read_to_string(file.path()).unwrap()).unwrap()
}

fn references(components: &Value) -> Vec<String> {
    let components = components.as_array().unwrap().iter();
    components.filter_map(|component| Some(component["bom-ref"].as_str()?.to_owned())).collect()
}

#[test]
fn the_bill_names_every_package_once_and_what_it_uses() {
    let bill = real();
    let mut known = references(&bill["components"]);
    known.push(bill["metadata"]["component"]["bom-ref"].as_str().unwrap().to_owned());
    let unique: BTreeSet<&String> = known.iter().collect();
    assert_eq!(unique.len(), known.len());
    for dependency in bill["dependencies"].as_array().unwrap() {
        let names = dependency["dependsOn"].as_array().unwrap().iter().chain([&dependency["ref"]]);
        for name in names {
            assert!(known.iter().any(|known| name == known), "{name}");
        }
    }
    assert_eq!(bill["dependencies"].as_array().unwrap().len(), known.len());
}

#[test]
fn the_bill_looks_into_the_interpreter() {
    let bill = real();
    let interpreter = bill["components"].as_array().unwrap().iter();
    let interpreter = interpreter.clone().find(|component| component["name"] == INTERPRETER).unwrap();
    assert_eq!(interpreter["hashes"][0]["content"].as_str().unwrap().len(), 64);
    let inside = &interpreter["components"];
    assert_eq!(inside[0]["name"], "cpython");
    let record = fs::read_to_string(Workspace::find().unwrap().root().join(RECORD)).unwrap();
    for file in inside.as_array().unwrap().iter().filter(|component| component["type"] == "file") {
        let line =
            format!("{}  {}", file["hashes"][0]["content"].as_str().unwrap(), file["name"].as_str().unwrap());
        assert!(record.lines().any(|known| known == line), "{line}");
    }
}

#[test]
fn packages_from_a_registry_have_a_checksum() {
    let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"00\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n";
    let found = checksums(lock).unwrap();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [(("a".into(), "1.0.0".into()), "00".into())]);
}
