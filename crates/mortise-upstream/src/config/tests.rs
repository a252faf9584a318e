use super::*;
use std::fs;
use tempfile::TempDir;

/// A working directory with a home, nothing in it yet.
struct Project {
    directory: TempDir,
    environment: Environment,
}

impl Project {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path();
        let environment = Environment {
            working_directory: root.join("project"),
            home: Some(root.join("home")),
            config_directory: Some(root.join("home/.config/mortise")),
            state_directory: Some(root.join("home/.local/state/mortise")),
            ..Environment::default()
        };
        fs::create_dir_all(&environment.working_directory).unwrap();
        fs::create_dir_all(environment.config_directory.as_ref().unwrap()).unwrap();
        Self { directory, environment }
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

#[test]
fn an_explicit_file_is_consent() {
    let project = Project::new();
    let path = project.write("other/mortise.yaml", "servers:\n  - name: a\n    command: ./serve\n");
    let loaded = Config::load(&project.environment, &[path]).unwrap();
    assert_eq!(loaded.origin, Origin::Explicit);
    assert_eq!(loaded.config.servers.len(), 1);
}
