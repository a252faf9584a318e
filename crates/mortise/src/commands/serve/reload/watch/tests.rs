//! What comes of files that change, vanish, come back or are not trusted.

use std::ffi::OsString;
use std::fs;
use std::time::SystemTime;

use mortise_client::environment::Environment;
use tempfile::TempDir;

use super::*;
use crate::cli;
use crate::servers::{AdHocArgs, IfNone};

const ONE: &str = "servers: [{name: one, command: serve-one}]\n";
const BOTH: &str = "servers: [{name: one, command: serve-one}, {name: two, command: serve-two}]\n";

const OWN: &str = "home/.config/mortise/mortise.yaml";
const PROJECT: &str = "project/mortise.yaml";

/// A home and a project, and the program started in them.
struct Place {
    root: PathBuf,
    app: App,
    _directory: TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let environment = Environment {
            working_directory: root.join("project"),
            home: Some(root.join("home")),
            config_directory: Some(root.join("home/.config/mortise")),
            state_directory: Some(root.join("home/.local/state/mortise")),
            ..Environment::default()
        };
        let cli = cli::parse(&["mortise", "serve"].map(OsString::from)).unwrap();
        let app = App::new(environment, cli.global, cli.connect);
        Self { root, app, _directory: directory }
    }

    fn with(path: &str, text: &str) -> Self {
        let place = Self::new();
        place.write(path, text);
        place
    }

    /// Writes a file under the root. Two contents in a row must have two lengths: both may be written within what a
    /// file system takes for one moment.
    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn trust_project(&self) {
        let untrusted = Config::untrusted(&self.app.environment, &self.root.join(PROJECT)).unwrap();
        let store = TrustStore::open(&self.app.environment).unwrap();
        for file in untrusted.files {
            store.trust(&file.path, file.fingerprint).unwrap();
        }
    }

    /// Makes the list of trusted files look old: the next has the same length.
    fn age_trust(&self) {
        let store = TrustStore::open(&self.app.environment).unwrap();
        let list = fs::File::options().write(true).open(store.path()).unwrap();
        list.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    }

    fn start(&self) -> Watch {
        let watch = Watch::new(&self.app);
        watch.over(&self.app, &self.chosen()).unwrap()
    }

    fn chosen(&self) -> ChosenServers {
        servers::choose(&self.app, &AdHocArgs::default(), None, IfNone::GoOn).unwrap()
    }

    /// One look.
    fn look(&self, watch: &mut Watch) -> String {
        told(watch.tick(&self.app))
    }

    /// What the second of two looks brings; the first has nothing to say.
    #[track_caller]
    fn settled(&self, watch: &mut Watch) -> String {
        assert_eq!(self.look(watch), "nothing");
        self.look(watch)
    }
}

fn told(news: News<'_>) -> String {
    match news {
        News::Nothing => "nothing".to_owned(),
        News::Refused(_) => "refused".to_owned(),
        News::Changed(servers) => {
            servers.configs.iter().map(|config| config.name.as_str()).collect::<Vec<_>>().join(" ")
        }
    }
}

#[test]
fn a_change_is_taken_once_it_has_settled() {
    let place = Place::with(OWN, ONE);
    let mut watch = place.start();
    assert_eq!(place.settled(&mut watch), "nothing");
    place.write(OWN, BOTH);
    assert_eq!(place.settled(&mut watch), "one two");
    assert_eq!(place.settled(&mut watch), "nothing");
}

#[test]
fn a_file_that_is_being_written_is_not_read() {
    let place = Place::with(OWN, BOTH);
    let mut watch = place.start();
    place.write(OWN, "");
    assert_eq!(place.look(&mut watch), "nothing");
    place.write(OWN, "servers: []\n");
    assert_eq!(place.look(&mut watch), "nothing");
    place.write(OWN, ONE);
    assert_eq!(place.settled(&mut watch), "one");
}

#[test]
fn what_is_written_while_it_is_read_is_read_again() {
    let place = Place::with(OWN, ONE);
    let mut watch = place.start();
    place.write(OWN, "");
    assert_eq!(place.look(&mut watch), "nothing");
    assert!(watch.is_due(WatchedFiles::at(&place.app, &watch.files)));
    let half = |app: &App, origin: ConfigOrigin, given: &[PathBuf], if_untrusted: IfUntrusted| {
        let chosen = servers::choose_again(app, origin, given, if_untrusted);
        place.write(OWN, BOTH);
        chosen
    };
    assert_eq!(told(watch.read(&place.app, half)), "nothing");
    assert_eq!(place.settled(&mut watch), "one two");
}

#[test]
fn a_change_between_the_first_look_and_the_first_reading_is_no_news() {
    let place = Place::with(OWN, ONE);
    let watch = Watch::new(&place.app);
    place.write(OWN, BOTH);
    let mut watch = watch.over(&place.app, &place.chosen()).unwrap();
    assert_eq!(place.settled(&mut watch), "nothing");
    place.write(OWN, ONE);
    assert_eq!(place.settled(&mut watch), "one");
}

#[test]
fn a_missing_file_leaves_everything_as_it_was_until_it_is_back() {
    let place = Place::with(PROJECT, ONE);
    place.write(OWN, BOTH);
    place.trust_project();
    let mut watch = place.start();
    fs::remove_file(place.root.join(PROJECT)).unwrap();
    assert_eq!(place.settled(&mut watch), "refused");
    assert_eq!(place.settled(&mut watch), "nothing");
    place.write(PROJECT, ONE);
    assert_eq!(place.settled(&mut watch), "one", "that it is used again is news");
    place.write(PROJECT, BOTH);
    place.trust_project();
    assert_eq!(place.settled(&mut watch), "one two");
}

#[test]
fn a_file_that_is_missing_for_one_look_is_not_missed() {
    let place = Place::with(OWN, ONE);
    let mut watch = place.start();
    let (path, aside) = (place.root.join(OWN), place.root.join("aside"));
    fs::rename(&path, &aside).unwrap();
    assert_eq!(place.look(&mut watch), "nothing");
    fs::rename(&aside, &path).unwrap();
    assert_eq!(place.settled(&mut watch), "nothing");
}

#[test]
fn a_changed_project_file_is_taken_once_it_is_trusted() {
    let place = Place::with(PROJECT, ONE);
    place.trust_project();
    place.age_trust();
    let mut watch = place.start();
    place.write(PROJECT, BOTH);
    assert_eq!(place.settled(&mut watch), "refused");
    assert_eq!(place.settled(&mut watch), "nothing");
    place.trust_project();
    assert_eq!(place.settled(&mut watch), "one two");
    place.age_trust();
    assert_eq!(place.settled(&mut watch), "nothing", "trust matters only to what was refused");
}

#[test]
fn a_project_s_file_takes_over_once_it_is_trusted() {
    let place = Place::with(OWN, ONE);
    place.write(PROJECT, "servers: [{name: theirs, command: serve-theirs}]\n");
    let mut watch = place.start();
    place.write(OWN, BOTH);
    assert_eq!(place.settled(&mut watch), "one two mortise.yaml", "the own file is watched meanwhile");
    place.trust_project();
    assert_eq!(place.settled(&mut watch), "theirs");
    place.write(OWN, ONE);
    assert_eq!(place.settled(&mut watch), "nothing", "and no longer afterwards");
    place.write(PROJECT, ONE);
    assert_eq!(place.settled(&mut watch), "refused", "what was trusted once is not replaced by another file");
}

#[test]
fn the_same_failure_is_told_once() {
    let place = Place::with(OWN, ONE);
    let mut watch = place.start();
    place.write(OWN, "serverz: []\n");
    assert_eq!(place.settled(&mut watch), "refused");
    place.write(OWN, "serverz: []\n# saved again\n");
    assert_eq!(place.settled(&mut watch), "nothing");
    place.write(OWN, "toolz: []\n");
    assert_eq!(place.settled(&mut watch), "refused");
    place.write(OWN, ONE);
    assert_eq!(place.settled(&mut watch), "one");
    place.write(OWN, "serverz: []\n");
    assert_eq!(place.settled(&mut watch), "refused", "it is wrong anew");
}

#[test]
fn imports_are_watched_where_they_lie() {
    let place = Place::with(OWN, "import: [near.json, ~/far.json]\n");
    let near = |name: &str| format!(r#"{{"mcpServers": {{"{name}": {{"command": "x"}}}}}}"#);
    place.write("home/.config/mortise/near.json", &near("a"));
    place.write("home/far.json", &near("b"));
    let mut watch = place.start();
    place.write("home/far.json", &near("bee"));
    assert_eq!(place.settled(&mut watch), "a bee");
    place.write("home/.config/mortise/near.json", &near("aye"));
    assert_eq!(place.settled(&mut watch), "aye bee");

    place.write("home/far.json", &format!("{}\n", near("bee")));
    assert_eq!(place.settled(&mut watch), "nothing", "its servers are the same");

    place.write(OWN, "import: [near.json, ~/far.json, later.json]\n");
    assert_eq!(place.settled(&mut watch), "aye bee later.json", "what is missing is listed");
    place.write("home/.config/mortise/later.json", &near("c"));
    assert_eq!(place.settled(&mut watch), "aye bee c");
}

#[test]
fn a_file_that_appears_elsewhere_does_not_count() {
    let place = Place::with(OWN, ONE);
    let mut watch = place.start();
    place.write(PROJECT, "servers: [{name: other, command: serve-other}]\n");
    place.trust_project();
    assert_eq!(place.settled(&mut watch), "nothing");
    place.write(OWN, BOTH);
    assert_eq!(place.settled(&mut watch), "one two");
}

#[test]
fn without_a_file_nothing_is_watched() {
    let place = Place::new();
    let watch = Watch::new(&place.app);
    let servers = place.chosen();
    assert_eq!(servers.source, ServerSource::Nothing);
    assert!(watch.over(&place.app, &servers).is_none());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_read_a_second_time() {
    let mut place = Place::new();
    let fifo = place.root.join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    place.app.connect.config.push(fifo.clone());
    let servers = ChosenServers::new(
        Vec::new(),
        ServerSource::Files(vec![fifo]),
        mortise_config::ValidationSettings::default(),
    );
    assert!(Watch::new(&place.app).over(&place.app, &servers).is_none());
    let given = place.app.connect.config.clone();
    assert!(servers::choose_again(&place.app, ConfigOrigin::Explicit, &given, IfUntrusted::Refuse).is_err());
}

#[test]
fn files_that_are_written_all_the_time_are_read_after_a_while() {
    let place = Place::with(OWN, ONE);
    let mut watch = place.start();
    for looks in 1..PATIENCE {
        place.write(OWN, &format!("{BOTH}{}", "#\n".repeat(looks as usize)));
        assert_eq!(place.look(&mut watch), "nothing");
    }
    place.write(OWN, BOTH);
    assert_ne!(place.look(&mut watch), "nothing");
}
