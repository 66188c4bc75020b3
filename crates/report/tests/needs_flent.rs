//! Files that we write, drawn and saved by Flent itself.

#[path = "measured/mod.rs"]
mod made;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use made::{measured, rrul};
use observation::Heading;
use report::flent;
use results::Measurement;

/// Writes a measurement to a file that is alone in its folder.
fn kept(measurement: &Measurement) -> PathBuf {
    let name = format!("unbloat-flent-{}-{}", std::process::id(), measurement.test);
    let folder = env::temp_dir().join(name);
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{}.flent.gz", measurement.test));
    fs::write(&file, flent::write(measurement)).unwrap();
    file
}

/// The output of `flent` for a file.
fn asked(file: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("flent");
    command.arg("-i").arg(file).args(arguments).current_dir(file.parent().unwrap());
    let output = command.output().expect("flent starts: pip install flent matplotlib");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success() && !said.contains("ERROR"), "{said}");
    said
}

#[test]
fn needs_flent_to_draw() {
    let up: Vec<(Heading, &str)> = vec![(Heading::Up, "BE"); 4];
    let down: Vec<(Heading, &str)> = vec![(Heading::Down, "BE"); 4];
    let both = [&up[..], &down[..]].concat();
    for (measurement, plot) in [
        (rrul(), "all_scaled"),
        (measured("rrul_be", &both, &["BE"; 3]), "all_scaled"),
        (measured("tcp_nup", &up, &["BE"]), "totals"),
        (measured("tcp_ndown", &down, &["BE"]), "totals"),
        (measured("test", &both, &["BE"]), "all_scaled"),
    ] {
        let file = kept(&measurement);
        let picture = file.with_extension("png");
        let said = asked(&file, &["-p", plot, "-o", &picture.to_string_lossy()]);
        assert!(fs::metadata(&picture).is_ok_and(|picture| picture.len() > 10_000), "{said}");
        println!("{}", picture.display());
    }
}

#[test]
fn needs_flent_to_say_what_it_sees() {
    let summary = asked(&kept(&rrul()), &["-f", "summary"]);
    println!("{summary}");
    let line = |name: &str| {
        let line = summary.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(line("TCP upload sum").contains(&"1.90".to_owned()), "{summary}");
    assert!(line("TCP totals").contains(&"20.90".to_owned()), "{summary}");
    // The median of 30 s, of which the queues were full for 18.
    assert!(line("Ping (ms) UDP EF").contains(&"1174.00".to_owned()), "{summary}");
}
