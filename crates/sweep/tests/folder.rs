//! A folder of runs through all that can happen to it. A stand-in replaces the simulator; its
//! figures depend on the scenario as the real ones do.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use results::{DirectionResult, Document, LinkDirection, LinkResult, Sojourn};
use scenario::{Scenario, Sweep, Vary};
use sweep::{Format, Manifest, Origin, Points, Row, Store, Watch, read, read_folder, run};
use units::Way;

const TEXT: &str = r#"
    duration = "60s"
    link = [{ name = "up", from = "home", to = "isp", rate = "2mbit", queue = "codel" }]
    flow = [{ name = "ftp", from = "home", to = "isp", traffic = "bulk" }]
    [sweep]
    "link.up.queue" = ["codel", "fq_codel", "pfifo limit 300"]
    seed = { from = 1, to = 50 }
"#;

/// An empty folder that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn sweep(text: &str, varied: &[&str]) -> Sweep {
    let varied: Vec<Vary> = varied.iter().map(|vary| vary.parse().unwrap()).collect();
    let no_traces = |_: &str| Err(io::ErrorKind::NotFound.into());
    Sweep::parse(text, "home.toml", &[], &varied, &no_traces).unwrap()
}

const ORIGIN: Origin<'_> = Origin {
    unbloat: "1.0",
    build: "a",
    title: "Home",
    bottleneck: LinkDirection { link: "up", way: Way::Forward },
    shards: 1,
    format: Format::Csv,
};

fn open(
    folder: &Path,
    sweep: &Sweep,
    origin: &Origin<'_>,
    only: Option<u32>,
) -> Result<Store, String> {
    Store::open(folder, Manifest::new(sweep, origin), only).map_err(|error| error.to_string())
}

/// Fails with seed 7, panics with seed 13.
fn simulate(scenario: &Scenario, go_on: &mut dyn FnMut(f64) -> bool) -> io::Result<Document> {
    assert_ne!(scenario.seed, 13, "an unlucky seed");
    if scenario.seed == 7 {
        return Err(io::Error::other("seven"));
    }
    let queue = scenario.links[0].directions.forward.queue.to_string();
    let p50 = Some(scenario.seed as f64 / 3.0 + queue.len() as f64);
    let sojourn_ms = Sojourn { p50, ..Sojourn::default() };
    let forward = DirectionResult { sojourn_ms, ..DirectionResult::default() };
    let mut document = Document::default();
    document.links.insert("up".into(), LinkResult { forward, ..LinkResult::default() });
    document.interrupted_s = (!go_on(0.5)).then_some(1.0);
    Ok(document)
}

/// Ends after this many runs.
struct After(AtomicU64);

impl After {
    fn runs(runs: u64) -> Self {
        Self(AtomicU64::new(runs))
    }
}

impl Watch for After {
    fn goes_on(&self, _: usize, _: f64) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    fn is_done(&self, _: usize, _: &Row) {
        // Two threads may end their last runs at once.
        let less = |left: u64| Some(left.saturating_sub(1));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

fn work(store: &mut Store, sweep: &Sweep, threads: usize, runs: u64) {
    let points = Points { sweep, bottleneck: ORIGIN.bottleneck, simulate: &simulate };
    run(store, &points, NonZero::new(threads).unwrap(), &After::runs(runs)).unwrap();
}

/// All files and their contents.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        })
        .collect()
}

fn names(folder: &Path) -> Vec<String> {
    contents(folder).into_keys().collect()
}

#[test]
fn the_bytes_do_not_depend_on_threads_or_interrupts() {
    let scratch = Scratch::new("bytes");
    for format in [Format::Csv, Format::Parquet] {
        let origin = Origin { format, ..ORIGIN };
        let sweep = sweep(TEXT, &[]);
        let whole = scratch.at("1");
        work(&mut open(&whole, &sweep, &origin, None).unwrap(), &sweep, 1, u64::MAX);
        let parts: Vec<String> = names(&whole);
        assert_eq!(parts.len(), 6, "two locks, three parts and the manifest: {parts:?}");
        for threads in [2, 7] {
            let folder = scratch.at("many");
            work(&mut open(&folder, &sweep, &origin, None).unwrap(), &sweep, threads, u64::MAX);
            assert!(contents(&folder) == contents(&whole), "{threads} threads differ");
            fs::remove_dir_all(&folder).unwrap();
        }
        let folder = scratch.at("interrupted");
        let mut openings = 0;
        loop {
            let mut store = open(&folder, &sweep, &origin, None).unwrap();
            if store.missing() == 0 {
                break;
            }
            work(&mut store, &sweep, 3, 11);
            openings += 1;
        }
        assert!(openings > 9, "{openings}");
        assert!(contents(&folder) == contents(&whole), "interrupts show");
        for name in ["1", "interrupted"] {
            fs::remove_dir_all(scratch.at(name)).unwrap();
        }
    }
}

#[test]
fn only_what_is_missing_is_run() {
    let scratch = Scratch::new("missing");
    let (folder, sweep) = (scratch.at("runs"), sweep(TEXT, &[]));
    let mut store = open(&folder, &sweep, &ORIGIN, None).unwrap();
    assert_eq!((store.missing(), store.ours()), (150, 150));
    work(&mut store, &sweep, 1, 70);
    assert_eq!(store.missing(), 80);
    drop(store);
    // Runs that are done can be read while the rest is not.
    assert_eq!(read(&folder).unwrap().index.len() + read_folder(&folder).unwrap().failed.len(), 70);
    // A torn line, and a line of nonsense.
    let journal = folder.join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    assert_eq!(text.lines().count(), 6, "of 70 runs 64 are in a part");
    fs::write(&journal, format!("{{\n{}", &text[..text.len() - 20])).unwrap();
    let mut store = open(&folder, &sweep, &ORIGIN, None).unwrap();
    assert_eq!(store.missing(), 81, "the torn one is to be done again");
    // Each run is handed out once.
    let mut taken: Vec<u64> = std::iter::from_fn(|| store.take()).collect();
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), 81);
    let sample = store.sample(10);
    assert!(sample.len() == 10 && sample.iter().all(|run| taken.contains(run)), "{sample:?}");
}

/// A run that takes long keeps its part open while hundreds of others are done.
#[test]
fn the_journal_stays_short() {
    let scratch = Scratch::new("journal");
    let (folder, sweep) = (scratch.at("runs"), sweep(TEXT, &["seed=1..1000"]));
    let mut store = open(&folder, &sweep, &ORIGIN, None).unwrap();
    let lines = || fs::read_to_string(folder.join("journal.jsonl")).map(|it| it.lines().count());
    let row = |run| Row { run, values: sweep.values(run), ..Row::default() };
    let slow = store.take().unwrap();
    let mut longest = 0;
    while let Some(run) = store.take() {
        store.keep(row(run)).unwrap();
        longest = longest.max(lines().unwrap());
    }
    assert!(longest > 64 && longest < 18 * 64, "{longest}");
    let there = read_folder(&folder).unwrap();
    assert_eq!(there.runs.index.len(), 2999, "no run counts twice");
    store.keep(row(slow)).unwrap();
    assert!(store.missing() == 0 && lines().is_err(), "the journal is removed");
}

#[test]
fn a_killed_process_loses_no_finished_run() {
    let scratch = Scratch::new("killed");
    let (folder, sweep) = (scratch.at("runs"), sweep(TEXT, &[]));
    let mut store = open(&folder, &sweep, &ORIGIN, None).unwrap();
    work(&mut store, &sweep, 1, 63);
    // Killed after the part was written, and before the journal was tidied; and in the midst of
    // writing a part.
    let before = fs::read(folder.join("journal.jsonl")).unwrap();
    work(&mut store, &sweep, 1, 1);
    drop(store);
    let store = open(&folder, &sweep, &ORIGIN, None).unwrap();
    assert_eq!(store.missing(), 150 - 64);
    drop(store);
    fs::write(folder.join("journal.jsonl"), &before).unwrap();
    fs::write(folder.join(".runs-00001.csv.partial"), "run,").unwrap();
    let there = read_folder(&folder).unwrap();
    assert_eq!(there.runs.index.len() + there.failed.len(), 64, "no run counts twice");
    let mut store = open(&folder, &sweep, &ORIGIN, None).unwrap();
    assert_eq!(store.missing(), 150 - 64);
    work(&mut store, &sweep, 2, u64::MAX);
    let (whole, clean) = (contents(&folder), scratch.at("clean"));
    work(&mut open(&clean, &sweep, &ORIGIN, None).unwrap(), &sweep, 2, u64::MAX);
    assert!(whole == contents(&clean));
}

#[test]
fn failed_runs_are_kept_and_stop_nobody() {
    let scratch = Scratch::new("failed");
    let (folder, sweep) = (scratch.at("runs"), sweep(TEXT, &[]));
    work(&mut open(&folder, &sweep, &ORIGIN, None).unwrap(), &sweep, 2, u64::MAX);
    let there = read_folder(&folder).unwrap();
    assert_eq!(there.runs.index.len(), 144);
    let (runs, errors): (Vec<u64>, Vec<&str>) =
        there.failed.iter().map(|(run, error)| (*run, error.as_str())).unzip();
    assert_eq!(runs, [6, 12, 56, 62, 106, 112]);
    assert_eq!(errors[0], "seven");
    assert!(errors[1].contains("panicked") && errors[1].contains("an unlucky seed"), "{errors:?}");
    assert_eq!(open(&folder, &sweep, &ORIGIN, None).unwrap().missing(), 0);
}

#[test]
fn runs_become_columns() {
    let scratch = Scratch::new("columns");
    let (folder, sweep) = (scratch.at("runs"), sweep(TEXT, &[]));
    work(&mut open(&folder, &sweep, &ORIGIN, None).unwrap(), &sweep, 2, u64::MAX);
    let runs = read(&folder).unwrap();
    assert_eq!(runs.title, "Home");
    let row = runs.index.iter().position(|run| *run == 101).unwrap();
    assert_eq!(runs.field("queue").unwrap().values[row], "pfifo limit 300");
    assert_eq!(runs.field("seed").unwrap().values[row], "2");
    let queue = "pfifo limit 300p".len() as f64;
    assert_eq!(runs.metric("sojourn_ms.p50").unwrap().values[row], Some(2.0 / 3.0 + queue));
    assert_eq!(runs.metric("sojourn_ms.p95").unwrap().values[row], None);
}

#[test]
fn shards_combine_to_the_same_runs() {
    let scratch = Scratch::new("shards");
    let sweep = sweep(TEXT, &[]);
    work(&mut open(&scratch.at("one"), &sweep, &ORIGIN, None).unwrap(), &sweep, 2, u64::MAX);
    let expected = read(&scratch.at("one")).unwrap();
    let origin = Origin { shards: 4, ..ORIGIN };
    // In one folder, two of them at once; the last two by one process, which takes what is left.
    let folder = scratch.at("four");
    let mut first = open(&folder, &sweep, &origin, Some(1)).unwrap();
    let mut second = open(&folder, &sweep, &origin, Some(2)).unwrap();
    assert!(
        open(&folder, &sweep, &origin, Some(2)).unwrap_err().contains("another sweep is at work")
    );
    assert_eq!((first.ours(), second.ours()), (38, 38));
    work(&mut first, &sweep, 1, u64::MAX);
    work(&mut second, &sweep, 2, u64::MAX);
    drop((first, second));
    let mut rest = open(&folder, &sweep, &origin, None).unwrap();
    assert_eq!((rest.missing(), rest.ours()), (74, 150));
    work(&mut rest, &sweep, 1, u64::MAX);
    assert_eq!(read(&folder).unwrap(), expected);
    assert!(names(&folder).contains(&"runs-3of4-00000.csv".into()));
}

#[test]
fn a_folder_is_about_one_sweep() {
    let scratch = Scratch::new("changed");
    let (folder, sweep_1) = (scratch.at("runs"), sweep(TEXT, &[]));
    work(&mut open(&folder, &sweep_1, &ORIGIN, None).unwrap(), &sweep_1, 1, 3);
    let before = contents(&folder);
    let other_text = TEXT.replace("60s", "61s");
    for (text, varied, origin, part) in [
        (&other_text[..], &[][..], ORIGIN, "differs from line 2"),
        (TEXT, &["seed=1..51"], ORIGIN, "seed = from 1 to 50"),
        (TEXT, &["link.up.queue=codel,pie"], ORIGIN, "codel | pie"),
        (TEXT, &["link.up.rate=1mbit,2mbit"], ORIGIN, "link.up.rate"),
        (TEXT, &[], Origin { unbloat: "1.1", ..ORIGIN }, "this is 1.1"),
        (TEXT, &[], Origin { build: "b", ..ORIGIN }, "1.0 from other sources"),
        (TEXT, &[], Origin { shards: 2, ..ORIGIN }, "2"),
        (TEXT, &[], Origin { format: Format::Parquet, ..ORIGIN }, "as csv"),
        (
            TEXT,
            &[],
            Origin { bottleneck: LinkDirection { link: "up", way: Way::Reverse }, ..ORIGIN },
            "up.reverse",
        ),
    ] {
        let error = open(&folder, &sweep(text, varied), &origin, None).unwrap_err();
        assert!(error.contains(part) && error.contains("another folder"), "{part}: {error}");
        assert!(contents(&folder) == before, "{part}: the folder is not as it was");
    }
    // A file that is no manifest, and the way to go on.
    let manifest = folder.join("sweep.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, &text[..text.len() / 2]).unwrap();
    let error = open(&folder, &sweep_1, &ORIGIN, None).unwrap_err();
    assert!(error.contains("sweep.json") && error.contains("restore it"), "{error}");
    fs::write(&manifest, text).unwrap();
    // A new title does not make another sweep.
    assert!(open(&folder, &sweep_1, &Origin { title: "New", ..ORIGIN }, None).is_ok());
}

#[test]
fn two_sweeps_into_one_folder() {
    let scratch = Scratch::new("two");
    let (folder, sweep) = (scratch.at("runs"), sweep(TEXT, &[]));
    let first = open(&folder, &sweep, &ORIGIN, None).unwrap();
    let error = open(&folder, &sweep, &ORIGIN, None).unwrap_err();
    assert!(error.contains("another sweep is at work"), "{error}");
    drop(first);
    assert!(open(&folder, &sweep, &ORIGIN, None).is_ok());
}

/// A job array begins shards at the same moment; files of a process that died while beginning do no
/// harm.
#[test]
fn shards_may_begin_a_folder_at_the_same_moment() {
    let scratch = Scratch::new("race");
    let sweep = sweep(TEXT, &[]);
    let origin = Origin { shards: 8, ..ORIGIN };
    for round in 0..20 {
        let folder = scratch.at(&format!("runs{round}"));
        if round % 2 == 1 {
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(".sweep.json.partial"), "{").unwrap();
        }
        std::thread::scope(|scope| {
            let begin = |shard| open(&folder, &sweep, &origin, Some(shard)).map(drop);
            let begun: Vec<_> = (1..=8).map(|shard| scope.spawn(move || begin(shard))).collect();
            for shard in begun {
                assert_eq!(shard.join().unwrap(), Ok(()));
            }
        });
    }
}

#[test]
fn folders_of_others_are_left_alone() {
    let scratch = Scratch::new("others");
    let sweep = sweep(TEXT, &[]);
    fs::write(scratch.at("letter.txt"), "Dear").unwrap();
    let error = open(&scratch.0, &sweep, &ORIGIN, None).unwrap_err();
    assert!(error.contains("letter.txt") && error.contains("another folder"), "{error}");
    assert_eq!(names(&scratch.0), ["letter.txt"]);
    assert!(open(&scratch.at("letter.txt"), &sweep, &ORIGIN, None).is_err());
    for folder in [scratch.0.clone(), scratch.at("nothing"), scratch.at("letter.txt")] {
        assert!(read(&folder).unwrap_err().to_string().contains("no folder of runs"));
    }
    // A refused sweep leaves nothing.
    let folder = scratch.at("deep/new");
    open(&folder, &sweep, &ORIGIN, None).unwrap().abandon();
    assert!(!folder.exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_and_nothing_is_lost() {
    let scratch = Scratch::new("full");
    let (folder, sweep) = (scratch.at("runs"), sweep(TEXT, &[]));
    let mut store = open(&folder, &sweep, &ORIGIN, None).unwrap();
    work(&mut store, &sweep, 1, 10);
    drop(store);
    let kept = fs::read(folder.join("journal.jsonl")).unwrap();
    // A disk on which there is never room.
    let mut store = open(&folder, &sweep, &ORIGIN, None).unwrap();
    fs::remove_file(folder.join("journal.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.join("journal.jsonl")).unwrap();
    let points = Points { sweep: &sweep, bottleneck: ORIGIN.bottleneck, simulate: &simulate };
    let threads = NonZero::new(2).unwrap();
    let error = run(&mut store, &points, threads, &After::runs(u64::MAX)).unwrap_err();
    assert!(error.to_string().contains("journal.jsonl"), "{error}");
    drop(store);
    fs::remove_file(folder.join("journal.jsonl")).unwrap();
    let mut journal = fs::File::create(folder.join("journal.jsonl")).unwrap();
    journal.write_all(&kept).unwrap();
    assert_eq!(open(&folder, &sweep, &ORIGIN, None).unwrap().missing(), 140);
}
