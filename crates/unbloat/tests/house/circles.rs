//! Circles between source files. A file and those in its folder count as one here: a parent uses
//! its parts, and they may use it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The names from the crate's root to a module: `["aqm", "codel"]`.
type Module = Vec<String>;

/// The files of one crate.
struct Files {
    /// The paths that each file names, as it writes them: `super::Aqm`.
    named: BTreeMap<Module, Vec<String>>,
    /// The names that each file imports, with their paths.
    imported: BTreeMap<Module, BTreeMap<String, String>>,
}

impl Files {
    /// The files in `folder`, tests left out.
    fn read(folder: &Path, sources: &[PathBuf]) -> Self {
        let mut files = Self { named: BTreeMap::new(), imported: BTreeMap::new() };
        for file in sources.iter().filter(|file| file.starts_with(folder)) {
            let module = file.strip_prefix(folder).unwrap().with_extension("");
            let mut module: Module =
                module.iter().map(|name| name.to_string_lossy().into_owned()).collect();
            module.retain(|name| name != "lib" && name != "main");
            let code = code(&fs::read_to_string(file).unwrap());
            let imports: Vec<String> = statements(&code).flat_map(|path| expanded(&path)).collect();
            let last = |path: &String| path.rsplit("::").next().unwrap_or_default().to_owned();
            let by_name = imports.iter().map(|path| (last(path), path.clone())).collect();
            files.imported.insert(module.clone(), by_name);
            files.named.insert(module, imports.into_iter().chain(inline(&code)).collect());
        }
        files
    }

    /// The file of what `path` names in `from`. `None` if it is of another crate.
    fn resolved(&self, from: &Module, path: &str, depth: u32) -> Option<Module> {
        let mut parts = path.split("::").peekable();
        let mut module = match *parts.peek()? {
            "crate" => {
                parts.next();
                Module::new()
            }
            first => {
                let is_child = self.named.contains_key(&join(from, first));
                if !is_child && !["self", "super"].contains(&first) {
                    return None;
                }
                from.clone()
            }
        };
        while let Some(part) = parts.next_if(|part| ["self", "super"].contains(part)) {
            if part == "super" {
                module.pop();
            }
        }
        while let Some(part) = parts.next_if(|part| self.named.contains_key(&join(&module, part))) {
            module.push(part.to_owned());
        }
        // A name may be passed on from another file.
        let passed_on = parts.peek().and_then(|name| self.imported[&module].get(*name));
        let elsewhere = passed_on
            .filter(|_| depth < 6 && (module != *from || depth > 0))
            .and_then(|path| self.resolved(&module, path, depth + 1));
        elsewhere.or(Some(module))
    }

    /// The neighbours in its folder that each file uses, with its own parts or theirs.
    fn uses(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let mut uses: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (file, paths) in &self.named {
            for used in paths.iter().filter_map(|path| self.resolved(file, path, 0)) {
                let shared = file.iter().zip(&used).take_while(|(one, other)| one == other).count();
                // Else one is a part of the other.
                if shared < file.len().min(used.len()) {
                    uses.entry(file[..=shared].into()).or_default().insert(used[..=shared].into());
                }
            }
        }
        uses
    }
}

/// The files of a circle, by the first of them; empty if there is none.
pub(crate) fn circle(folder: &Path, sources: &[PathBuf]) -> Vec<String> {
    let files = Files::read(folder, sources);
    let uses = files.uses();
    let reached = |from: &Module| {
        let mut found: BTreeSet<&Module> = BTreeSet::new();
        let mut open: Vec<&Module> = uses.get(from).into_iter().flatten().collect();
        while let Some(file) = open.pop() {
            if found.insert(file) {
                open.extend(uses.get(file).into_iter().flatten());
            }
        }
        found
    };
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        uses.keys().map(|file| (file, reached(file))).collect();
    let Some((first, around)) = reached.iter().find(|(file, found)| found.contains(*file)) else {
        return Vec::new();
    };
    let back = around.iter().filter(|file| reached.get(*file).is_some_and(|r| r.contains(first)));
    back.map(|file| file.join("::")).collect()
}

fn join(module: &Module, part: &str) -> Module {
    module.iter().map(String::as_str).chain([part]).map(str::to_owned).collect()
}

/// The code without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The paths of all `use` statements, with their braces.
fn statements(code: &str) -> impl Iterator<Item = String> + '_ {
    let begins = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ")
    };
    let at = move |line: &str| line.as_ptr() as usize - code.as_ptr() as usize;
    code.lines().filter(begins).map(move |line| {
        let rest = &code[at(line)..];
        let (_, rest) = rest.split_once("use ").unwrap_or_default();
        rest.split(';').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

/// The single paths of `a::{b, c::{d, e as f}}`.
fn expanded(path: &str) -> Vec<String> {
    let path = path.trim();
    let Some((before, rest)) = path.split_once('{') else {
        let plain = path.split(" as ").next().unwrap_or_default().trim();
        return (!plain.is_empty()).then(|| plain.to_owned()).into_iter().collect();
    };
    let inner = rest.strip_suffix('}').unwrap_or(rest);
    let mut depth = 0;
    let parts = inner.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.flat_map(expanded).map(|part| format!("{before}{part}")).collect()
}

/// The paths that are written out where they are used: `crate::sys::unshare`.
fn inline(code: &str) -> impl Iterator<Item = String> + '_ {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let is_path = |word: &&str| {
        let begins = word.starts_with("crate::") || word.starts_with("super::");
        // Braces follow in a statement.
        begins && !word.ends_with("::")
    };
    words.filter(is_path).map(|word| word.trim_end_matches(':').to_owned())
}
