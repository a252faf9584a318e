//! What holds for all servers.

use super::*;

fn spelled_out(validation: ValidationSettings) -> Vec<ServerConfig> {
    let mut strict = named("strict=serve-strict").unwrap();
    strict.mode = Some(Mode::Strict);
    let configs = vec![named("plain=serve-plain").unwrap(), strict];
    let mut servers = ChosenServers::new(configs, ServerSource::CommandLine, validation);
    servers.spell_out_checks();
    servers.configs
}

#[test]
fn how_results_are_checked_is_a_setting_of_every_server() {
    let usual = spelled_out(ValidationSettings::default());
    let modes: Vec<Option<Mode>> = usual.iter().map(|config| config.mode).collect();
    assert_eq!(modes, [Some(Mode::Warn), Some(Mode::Strict)]);
    assert_eq!((usual[0].forbid_unschematised, usual[0].assert_formats), (Some(false), Some(false)));
    assert_eq!(spelled_out(ValidationSettings::default()), usual);

    let off = spelled_out(ValidationSettings { mode: Some(Mode::Off), ..ValidationSettings::default() });
    assert_ne!(off[0], usual[0]);
    assert_eq!(off[1], usual[1], "it has a mode of its own");
    for other in [
        ValidationSettings { forbid_unschematised: true, ..ValidationSettings::default() },
        ValidationSettings { assert_formats: true, ..ValidationSettings::default() },
    ] {
        let other = spelled_out(other);
        assert!(other[0] != usual[0] && other[1] != usual[1]);
    }
}

#[test]
fn a_sample_is_called_one_towards_an_agent() {
    let samples = samples_by_name();
    let sample = |name: &str| {
        let transport = Transport::InProcess(samples["weather"].clone());
        ServerConfig::new(ServerName::parse(name).unwrap(), transport)
    };
    let long = "x".repeat(128);
    let configs = vec![sample("weather"), sample("sample_sky"), sample(&long), named("real=serve").unwrap()];
    let mut servers = ChosenServers::new(configs, ServerSource::CommandLine, ValidationSettings::default());
    let renamed = servers.mark_samples();
    assert_eq!(
        (renamed.len(), renamed[0].0.as_str(), renamed[0].1.as_str()),
        (2, "weather", "sample_weather")
    );
    let names: Vec<&str> = servers.configs.iter().map(|config| config.name.as_str()).collect();
    assert_eq!(names, ["sample_weather", "sample_sky", &format!("sample_{}", &long[7..]), "real"]);
}
