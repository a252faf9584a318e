//! Reading the same files a second time.

use super::*;

fn again(project: &Project, origin: ConfigOrigin) -> Result<LoadedConfig, ConfigError> {
    Config::load_again(&project.environment, origin, &[])
}

#[test]
fn files_are_read_again_where_they_were_found() {
    let project = Project::new();
    let own = project.write("home/.config/mortise/mortise.yaml", ONE);
    let path = project.write("project/mortise.yaml", TWO);
    assert_eq!(Config::origin(&project.environment, &[]), ConfigOrigin::Project);
    let refused = again(&project, ConfigOrigin::Project);
    assert!(matches!(refused, Err(ConfigError::Untrusted(_))), "trust counts here too: {refused:?}");
    trust(&project, &path);
    assert_eq!(names(&again(&project, ConfigOrigin::Project).unwrap()), ["two"]);
    assert_eq!(names(&again(&project, ConfigOrigin::User).unwrap()), ["one"]);

    fs::remove_file(path).unwrap();
    assert_eq!(Config::origin(&project.environment, &[]), ConfigOrigin::User);
    assert!(matches!(again(&project, ConfigOrigin::Project), Err(ConfigError::Read { .. })));

    fs::remove_file(own).unwrap();
    assert_eq!(Config::origin(&project.environment, &[]), ConfigOrigin::NoConfig);
    assert!(matches!(again(&project, ConfigOrigin::User), Err(ConfigError::Read { .. })));
}

#[test]
fn the_user_s_own_file_is_read_whatever_lies_in_the_project() {
    let project = Project::new();
    project.write("project/mortise.yaml", TWO);
    assert_eq!(Config::load_own(&project.environment).unwrap(), None);
    project.write("home/.config/mortise/mortise.yaml", ONE);
    let loaded = Config::load_own(&project.environment).unwrap().unwrap();
    assert_eq!((loaded.origin, names(&loaded)), (ConfigOrigin::User, vec!["one"]));
}

#[test]
fn a_file_that_was_found_is_read_again_even_if_another_is_nearer_now() {
    let mut project = Project::new();
    let above = project.write("project/mortise.yaml", ONE);
    project.write("project/.git/HEAD", "");
    project.environment.working_directory = project.root().join("project/deep");
    fs::create_dir(&project.environment.working_directory).unwrap();
    trust(&project, &above);
    let given = Config::given(&project.environment, ConfigOrigin::Project, &[]);
    assert_eq!(given, [above]);
    let nearer = project.write("project/deep/mortise.yaml", TWO);
    trust(&project, &nearer);
    let loaded = Config::load_again(&project.environment, ConfigOrigin::Project, &given).unwrap();
    assert_eq!(names(&loaded), ["one"]);
    assert_eq!(names(&project.load(&[]).unwrap()), ["two"]);
}

#[test]
fn paths_say_where_files_and_imports_lie() {
    let project = Project::new();
    let root = project.root();
    let main =
        project.write("project/deep/x.yaml", "import: [near.json, ../up.json, ~/far.json, /at/root.json]\n");
    let explicit = [PathBuf::from("deep/x.yaml"), PathBuf::from("~/missing.yaml")];
    let paths = Config::paths(&project.environment, &explicit);
    let expected = [
        main,
        root.join("home/missing.yaml"),
        root.join("project/deep/near.json"),
        root.join("project/deep/../up.json"),
        root.join("home/far.json"),
        PathBuf::from("/at/root.json"),
    ];
    assert_eq!(paths, expected);

    project.write("project/deep/x.yaml", "not: [yaml\n");
    assert_eq!(Config::paths(&project.environment, &explicit), expected[..2]);
    let own = root.join("home/.config/mortise/mortise.yaml");
    assert_eq!(Config::given(&project.environment, ConfigOrigin::User, &[]), [own]);
    assert!(Config::given(&project.environment, ConfigOrigin::NoConfig, &[]).is_empty());
}
