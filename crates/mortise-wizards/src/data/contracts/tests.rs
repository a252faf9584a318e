use std::fs;

use super::*;

fn contract(id: &str, version: u64) -> DataContract {
    DataContract {
        contract_id: id.to_owned(),
        scope_id: "scope_1".to_owned(),
        version,
        schemas: vec![ApprovedSchema {
            discovery_id: "disc_1".to_owned(),
            name: "orders".to_owned(),
            output_table_name: "orders_table".to_owned(),
            columns: Vec::new(),
            description: None,
        }],
        approved_by: None,
        approved_at: "2024-01-01T00:00:00Z".to_owned(),
    }
}

#[test]
fn what_is_kept_is_there_for_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    Contracts::new(folder.path()).keep_contract(&contract("c1", 1)).unwrap();
    Contracts::new(folder.path()).keep_contract(&contract("c2", 2)).unwrap();
    let store = Contracts::new(folder.path());
    assert_eq!(store.contract("c1").unwrap(), contract("c1", 1));
    assert_eq!(store.contract("orders").unwrap().contract_id, "c2");
    assert_eq!(store.contracts().unwrap().len(), 2);
    assert_eq!(fs::read_dir(folder.path().join("contracts")).unwrap().count(), 2);
}

#[test]
fn ids_never_become_paths() {
    let folder = tempfile::tempdir().unwrap();
    let store = Contracts::new(folder.path().join("state"));
    fs::write(folder.path().join("x.json"), "{}").unwrap();
    for id in ["../x", "../../x", "", "a/b", "nothing"] {
        assert_eq!(store.scope(id).unwrap_err().error_code, ErrorCode::ScopeNotFound, "{id}");
        assert_eq!(store.contract(id).unwrap_err().error_code, ErrorCode::ContractNotFound, "{id}");
    }
}

#[test]
fn a_damaged_document_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = Contracts::new(folder.path());
    fs::create_dir_all(folder.path().join("scopes")).unwrap();
    fs::write(folder.path().join("scopes/s1.json"), "{\"version\": 1, \"cont").unwrap();
    assert_eq!(store.scope("s1").unwrap_err().error_code, ErrorCode::Io);
    fs::write(folder.path().join("scopes/s1.json"), "{\"version\": 2, \"content\": {}}").unwrap();
    assert_eq!(store.scope("s1").unwrap_err().error_code, ErrorCode::Io);
}

#[cfg(unix)]
#[test]
fn a_link_in_the_store_is_refused() {
    use std::os::unix::fs::symlink;

    for link in ["state", "state/contracts"] {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::create_dir(&victim).unwrap();
        let link = folder.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&victim, &link).unwrap();
        let store = Contracts::new(folder.path().join("state"));
        let refused = store.keep_contract(&contract("c1", 1)).unwrap_err();
        assert_eq!(refused.error_code, ErrorCode::PathDenied, "{refused}");
        assert_eq!(store.contracts().unwrap_err().error_code, ErrorCode::PathDenied);
        assert_eq!(fs::read_dir(&victim).unwrap().count(), 0);
    }
}
