//! Rules for the project as a whole: arrows, licences, sizes, pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[path = "house/circles.rs"]
mod circles;
#[path = "house/python.rs"]
mod python;
#[path = "house/vocabulary.rs"]
mod vocabulary;

use python::texts_of_python;
use vocabulary::{Vocabulary, prose, without};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--no-deps"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("metadata is JSON")
}

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The lines `below <- above` of the block marked `arrows` in ARCHITECTURE.md: which crate may use
/// which.
fn arrows_of_the_document() -> Arrows {
    let text = read("ARCHITECTURE.md");
    let (_, block) = text.split_once("```arrows\n").expect("a block of arrows");
    let (block, _) = block.split_once("```").expect("the end of the block");
    let mut arrows = Arrows::new();
    for line in block.lines().filter(|line| !line.trim().is_empty()) {
        let (below, above) = line.split_once("<-").unwrap_or_else(|| panic!("no arrow: {line}"));
        for above in names(above) {
            arrows.entry(above).or_default().extend(names(below));
        }
    }
    arrows
}

fn names(list: &str) -> impl Iterator<Item = String> {
    list.split(',').map(|name| name.trim().to_owned())
}

/// For each crate, the crates that its Cargo.toml names, including those for tests. A crate is
/// called as its folder is; a package that others may use has the prefix `unbloat-` besides.
fn arrows_of_the_code() -> Arrows {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let package_name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let folder = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        manifest.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned()
    };
    let crates: BTreeMap<_, _> = packages.iter().map(|p| (package_name(p), folder(p))).collect();
    let uses = |package: &Value| {
        let dependencies = package["dependencies"].as_array().unwrap().iter().map(package_name);
        let used = dependencies.filter_map(|used| crates.get(&used).cloned());
        // A crate may use itself with other features in its tests.
        used.filter(|used| *used != folder(package)).collect()
    };
    packages.iter().map(|package| (folder(package), uses(package))).collect()
}

/// All crates below `name`, directly or indirectly.
fn below(name: &str, arrows: &Arrows) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        for next in arrows.get(&name).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

#[test]
fn arrows_are_those_of_the_architecture() {
    let (document, code) = (arrows_of_the_document(), arrows_of_the_code());
    for (name, uses) in &code {
        let allowed = below(name, &document);
        assert!(!allowed.contains(name), "ARCHITECTURE.md: the arrows run in a circle at {name}");
        assert!(uses.is_empty() || document.contains_key(name), "ARCHITECTURE.md lacks {name}");
        let forbidden: Vec<_> = uses.difference(&allowed).collect();
        assert!(forbidden.is_empty(), "{name} must not use {forbidden:?}; see ARCHITECTURE.md");
    }
    for (name, claimed) in &document {
        let real = code.get(name).unwrap_or_else(|| panic!("ARCHITECTURE.md: no crate {name}"));
        let idle: Vec<_> = claimed.difference(real).collect();
        assert!(idle.is_empty(), "ARCHITECTURE.md says that {name} uses {idle:?}; it does not");
    }
}

/// The name of a build, by which a sweep tells its runs from those of another, covers all that a
/// figure depends on.
#[test]
fn the_name_of_a_build_covers_what_figures_depend_on() {
    let (text, arrows) = (read("crates/unbloat/build/sources.rs"), arrows_of_the_document());
    let (_, list) = text.split_once("const CRATES").expect("a list of crates");
    let (list, _) = list.split_once("];").expect("the end of the list");
    let covered: BTreeSet<_> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    let mut needed = BTreeSet::from(["sim", "sweep"].map(str::to_owned));
    ["sim", "sweep"].iter().for_each(|name| needed.extend(below(name, &arrows)));
    assert_eq!(covered, needed);
}

/// True if a licence expression of Cargo can be met with these licences: `A OR (B AND C)`, formerly
/// `A/B`.
fn permitted(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let alternatives = |text: &str| text.replace('/', " OR ");
    let plain = |text: &str| text.trim_matches(['(', ')', ' ']).to_owned();
    if let Some((both, rest)) = expression.split_once(") AND ") {
        return permitted(&plain(both), allowed) && permitted(rest, allowed);
    }
    alternatives(expression)
        .split(" OR ")
        .any(|one| plain(one).split(" AND ").all(|licence| allowed.contains(&plain(licence))))
}

#[test]
fn dependencies_are_licensed_as_we_allow() {
    let text = read("deny.toml");
    let (_, list) = text.split_once("allow = [").expect("a list of licences");
    let (list, _) = list.split_once(']').expect("the end of the list");
    let allowed: BTreeSet<_> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    assert!(allowed.contains("MIT"), "{allowed:?}");
    assert!(!permitted("GPL-3.0", &allowed) && !permitted("MIT AND GPL-3.0", &allowed));

    let output = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--all-features", "--locked", "--offline"])
        .args(["--prefix", "none", "--format", "{p}\t{l}"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    // Only the packages built here are certain to have been downloaded; `./x deny` checks the
    // others.
    let text = String::from_utf8(output.stdout).expect("names and licences");
    let packages: BTreeSet<_> = text.lines().filter_map(|line| line.split_once('\t')).collect();
    assert!(packages.len() > 20, "{} packages are too few to be all", packages.len());
    for (package, licence) in packages {
        // A package that was listed before has a star and no more.
        let licence = licence.trim_end_matches(" (*)");
        assert!(
            permitted(licence, &allowed),
            "{package} is licensed under {licence}; see deny.toml"
        );
    }
}

/// All Rust files of the project that are no tests.
fn sources() -> Vec<PathBuf> {
    let mut open = ["crates", "bench/src", "fuzz/src"].map(|folder| root().join(folder)).to_vec();
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !["tests", "benches", "examples"].contains(&name.as_str()) {
                open.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn files_stay_small() {
    const MOST: usize = 500;
    let files = sources();
    let mut sizes = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        // Tests beside the code are at the end of the file.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().count();
        assert!(lines <= MOST, "{} has {lines} lines; split it", file.display());
        sizes.push(lines);
    }
    sizes.sort_unstable();
    let median = sizes[sizes.len() / 2];
    assert!(median <= 160, "half of the files have more than {median} lines");
}

/// A text in the code of a file, and the code of its statement before it.
struct Literal<'a> {
    text: &'a str,
    before: String,
}

/// The texts of a source file, without those of comments, attributes, and of the tests at its end.
fn literals(source: &str) -> Vec<Literal<'_>> {
    let mut rest = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    rest = rest.split("#[cfg(test)]\npub(crate) mod tests {").next().unwrap_or_default();
    let (mut literals, mut before) = (Vec::new(), String::new());
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '#' if rest.starts_with("#[") => rest.find("]\n").map_or(rest.len(), |end| end + 1),
            '\'' if rest.starts_with("'\\") => 3 + rest[3..].find('\'').map_or(0, |end| end + 1),
            '\'' if rest.chars().nth(2) == Some('\'') => {
                rest.char_indices().nth(3).map_or(rest.len(), |it| it.0)
            }
            '"' => {
                let length = length_of_text(rest);
                literals.push(Literal { text: &rest[..length], before: before.clone() });
                length
            }
            ';' | '{' | '}' => {
                before.clear();
                1
            }
            other => {
                before.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    literals
}

/// The length of the text in double quotes at the beginning.
fn length_of_text(source: &str) -> usize {
    let mut is_escaped = false;
    let end = source.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(source.len(), |end| end + 2)
}

/// True if the text is English of three words or more. What stands for a value is no word.
fn is_sentence(text: &str) -> bool {
    let text: String =
        text.split('{').map(|part| part.split('}').next_back().unwrap_or("")).collect();
    let words = text.split(|sign: char| sign.is_whitespace() || sign == '"');
    let is_word = |word: &&str| {
        let word = word.trim_matches(['.', ',', ':', ';', '\'']);
        !word.is_empty() && word.chars().all(|letter| letter.is_alphabetic() || letter == '\'')
    };
    words.filter(is_word).count() >= 3
}

/// Crates and files in which findings arise or are kept.
const FINDINGS: [&str; 9] = [
    "crates/diagnose/src",
    "crates/observation/src",
    "crates/results/src",
    "crates/lab/src/validity.rs",
    "crates/measure/src/client/engine.rs",
    "crates/measure/src/client/watchdog.rs",
    "crates/captured/src/anomalies.rs",
    "crates/replay/src/outcome.rs",
    "crates/responsiveness/src/client/direction.rs",
];

/// `diagnose` and those that observe find, `results` keeps, and `report` puts in words. Errors and
/// broken promises of the program itself may say what is wrong where they are found.
#[test]
fn only_the_report_has_sentences() {
    const ERRORS: [&str; 4] = ["Err(", "assert", "expect(", "panic!"];
    let said = |source: &str| -> Vec<String> {
        let is_error = |literal: &Literal<'_>| ERRORS.iter().any(|it| literal.before.contains(it));
        let all = literals(source).into_iter().filter(|literal| !is_error(literal));
        all.filter(|literal| is_sentence(literal.text)).map(|it| it.text.to_owned()).collect()
    };
    let sentence =
        r#"fn f() { let (a, b) = ('"', '\''); /* */ g("The load adds {}: too little.") }"#;
    assert_eq!(said(sentence).len(), 1);
    for fine in ["// \"one two three\"\n", "g(\"round trip p50\")", "Err(\"one two three\")"] {
        assert_eq!(said(fine), Vec::<String>::new());
    }
    let sources = sources();
    let files: Vec<_> = FINDINGS
        .iter()
        .flat_map(|place| {
            let place = root().join(place);
            let inside: Vec<_> = sources.iter().filter(|file| file.starts_with(&place)).collect();
            assert!(!inside.is_empty(), "{} is gone; see FINDINGS", place.display());
            inside
        })
        .collect();
    for file in files {
        let said = said(&fs::read_to_string(file).unwrap());
        assert!(said.is_empty(), "{}: sentences belong in crates/report: {said:?}", file.display());
    }
}

#[test]
fn files_do_not_use_each_other_in_a_circle() {
    let sources = sources();
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path());
    for folder in crates.chain([root().join("bench"), root().join("fuzz")]) {
        let circle = circles::circle(&folder.join("src"), &sources);
        assert!(circle.is_empty(), "{}: a circle of {circle:?}", folder.display());
    }
}

#[test]
fn nothing_is_left_unfinished() {
    // Spelt in two so that this file does not find itself.
    let marks = ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!("));
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        for mark in &marks {
            assert!(!text.contains(mark), "{} has {mark}", file.display());
        }
    }
}

/// The verbs that a help lists; none if it has no list.
fn verbs(help: &str) -> Vec<&str> {
    let (_, verbs) = help.split_once("Commands:\n").unwrap_or_default();
    let verbs = verbs.lines().take_while(|line| !line.is_empty());
    // Lines that go on with a description begin further in.
    let verbs = verbs.filter_map(|line| line.strip_prefix("  ").filter(|it| !it.starts_with(' ')));
    let verbs = verbs.filter_map(|line| line.split_whitespace().next());
    verbs.filter(|verb| *verb != "help").collect()
}

#[test]
fn each_verb_has_its_page() {
    let help = unbloat(&["--help"]);
    let verbs = verbs(&help);
    assert!(verbs.contains(&"sim"), "{help}");
    for verb in verbs {
        let page = read(format!("docs/{verb}.md"));
        assert!(page.contains(&format!("unbloat {verb}")), "docs/{verb}.md does not show it");
    }
}

/// Each kind of queue has a row in the table of queues, and a section whose heading names it.
#[test]
fn each_queue_has_its_section() {
    let page = read("docs/queues.md");
    for kind in qdisc::QdiscSpec::KINDS {
        let name = format!("`{}`", kind.name);
        let lines = |prefix: &str| {
            let lines =
                page.lines().filter(|line| line.starts_with(prefix) && line.contains(&name));
            lines.count()
        };
        assert_eq!(lines("## "), 1, "docs/queues.md has no section of {name}");
        assert!(lines("| ") >= 1, "the table of docs/queues.md lacks {name}");
    }
}

/// The pages for users: the readmes, the book, and of the changelog what is not released.
fn pages() -> Vec<(String, String)> {
    let mut names: Vec<_> = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| format!("docs/{}", entry.unwrap().file_name().to_string_lossy()))
        .filter(|name| name.ends_with(".md") && name != "docs/glossary.md")
        .collect();
    names.sort();
    names.extend(["README.md", "python/README.md"].map(str::to_owned));
    let mut pages: Vec<_> = names.into_iter().map(|name| (name.clone(), read(name))).collect();
    let changes = read("CHANGELOG.md");
    let released = changes.match_indices("\n## ").nth(1).map_or(changes.len(), |(at, _)| at);
    pages.push(("CHANGELOG.md".to_owned(), changes[..released].to_owned()));
    pages
}

/// The help of the program below these verbs, each with its name.
fn helps(above: &[&str]) -> Vec<(String, String)> {
    let help = unbloat(&[above, &["--help"]].concat());
    let mut helps = Vec::new();
    for verb in verbs(&help) {
        helps.extend(self::helps(&[above, &[verb]].concat()));
    }
    helps.push((format!("unbloat {} --help", above.join(" ")), help));
    helps
}

/// Words in texts for users are those that this project uses: `house/vocabulary.txt` has the
/// others. The glossary names them as those of other people.
#[test]
fn texts_for_users_keep_to_the_vocabulary() {
    let vocabulary = Vocabulary::new(&read("crates/unbloat/tests/house/vocabulary.txt"));
    let mut misuses = Vec::new();
    let mut told = |place: &str, text: &str, offset: usize| {
        for mut misuse in vocabulary.misuses(text) {
            misuse.line += offset;
            misuses.push(format!("{place}:{misuse}"));
        }
    };
    pages().iter().for_each(|(name, page)| told(name, &prose(page), 0));
    texts_of_python().iter().for_each(|(name, text)| told(name, &prose(text), 0));
    helps(&[]).iter().for_each(|(name, help)| told(name, &prose(help), 0));
    let sources = sources().into_iter();
    for file in sources.filter(|file| file.starts_with(root().join("crates/report/src"))) {
        let source = fs::read_to_string(&file).unwrap();
        let sentences = literals(&source).into_iter().filter(|it| is_sentence(it.text));
        for sentence in sentences {
            let start = sentence.text.as_ptr() as usize - source.as_ptr() as usize;
            let text = without(&sentence.text.replace("\\\n", " \n"), "{", "}");
            told(&file.display().to_string(), &text, source[..start].matches('\n').count());
        }
    }
    assert!(misuses.is_empty(), "{} misuses:\n{}", misuses.len(), misuses.join("\n"));
}

/// The program, run in the project's folder.
fn unbloat(arguments: &[&str]) -> String {
    let program = env!("CARGO_BIN_EXE_unbloat");
    let output = Command::new(program).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let queues = ["--compare", "pfifo limit 300", "codel", "fq_codel"];
    let printed = unbloat(&[&["sim", "scenarios/home-uplink.toml"], &queues[..]].concat());
    // `./x run` runs the same command; the readme leaves out the heading and the last line of its
    // output.
    assert!(read("x").contains(r#"home-uplink.toml --compare "pfifo limit 300" codel fq_codel"#));
    let parts: Vec<_> = printed.split("\n\n").skip(1).take(2).collect();
    assert_eq!(parts.len(), 2, "{printed}");
    for part in parts {
        assert!(read("README.md").contains(part), "README.md lacks\n{part}");
    }
}

#[test]
fn scenarios_in_documents_run() {
    for page in ["README.md", "docs/sim.md"] {
        let text = read(page);
        let (_, block) = text.split_once("```toml\n").expect("a scenario");
        let (block, _) = block.split_once("```").expect("its end");
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documented.toml");
        fs::write(&file, block).unwrap();
        unbloat(&["sim", file.to_str().unwrap()]);
    }
}

#[test]
fn scenarios_that_ship_run() {
    let mut files: Vec<_> = fs::read_dir(root().join("scenarios")).unwrap().collect();
    files.retain(|file| file.as_ref().unwrap().path().extension().is_some_and(|e| e == "toml"));
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let file = file.unwrap().path();
        let document = unbloat(&["sim", file.to_str().unwrap(), "--json"]);
        let document: Value = serde_json::from_str(&document).unwrap();
        let flows = document["flows"].as_object().unwrap();
        let idle = |flow: &&Value| flow["sent_packets"].as_u64().is_none_or(|sent| sent == 0);
        assert_eq!(flows.values().filter(idle).count(), 0, "idle flows in {}", file.display());
    }
}

/// Paths in parentheses after a bracket, as Markdown links; not those of the web.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

#[test]
fn links_in_documents_lead_somewhere() {
    let mut pages: Vec<_> = ["", "docs"]
        .into_iter()
        .flat_map(|folder| fs::read_dir(root().join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    assert!(pages.len() >= 6, "{pages:?}");
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let target = page.parent().unwrap().join(link);
            assert!(target.exists(), "{} links to {link}", page.display());
        }
    }
}
