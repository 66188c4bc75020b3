//! Names of devices: those of the links, as far as the kernel allows.

use std::collections::BTreeSet;

/// The longest name: IFNAMSIZ, without the zero at the end.
const LONGEST: usize = 15;
/// Names with another meaning to the kernel: its loopback, and two of its parameters.
const TAKEN: [&str; 3] = ["lo", "all", "default"];

/// A name for a device of each link, all different.
pub(super) fn names<'a>(links: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken: BTreeSet<String> = TAKEN.map(str::to_owned).into();
    let mut names = Vec::new();
    for link in links {
        let name = unique(&plain(link), &taken);
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

/// The name with letters, digits and underscores as they are, and all else as dashes.
fn plain(link: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String =
        link.chars().map(|c| if allowed(c) { c } else { '-' }).take(LONGEST).collect();
    if name.is_empty() { "link".into() } else { name }
}

/// The name itself or, if it is taken, the name with a number.
fn unique(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2_u64..).map(|number| {
        let number = format!("-{number}");
        let kept = name.len().min(LONGEST.saturating_sub(number.len()));
        name[..kept].to_owned() + &number
    });
    let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
    candidates.find(|name| !taken.contains(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_and_different() {
        let links = ["uplink", "Wi-Fi: 5 GHz/80 MHz", "Wi-Fi: 5 GHz/80 m", "lo", "é%d", ""];
        let expected = ["uplink", "Wi-Fi--5-GHz-80", "Wi-Fi--5-GHz--2", "lo-2", "--d", "link"];
        assert_eq!(names(links.into_iter()), expected);
        let many: Vec<String> = (0..2000).map(|n| format!("a very long name {n}")).collect();
        let made = names(many.iter().map(String::as_str));
        assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), 2000);
        assert!(made.iter().all(|name| name.len() <= LONGEST && name.is_ascii()));
    }
}
