//! `--set PATH=VALUE`: replaces one value of a scenario file, or adds one.

use crate::setting::Override;
use crate::source::Place;
use crate::suggest;
use crate::tree::{Entry, Node, Value};

/// The most steps of a path; no path needs as many.
const MOST_STEPS: usize = 20;

/// One step into the tree.
enum PathStep<'a> {
    /// A key of a table, or the name of an element of an array.
    Name(&'a str),
    /// The index of an element of an array, from 0.
    Index(usize),
}

impl Override {
    /// Puts the value into the tree, as the override with this number.
    ///
    /// # Errors
    /// The reason why it cannot, in words.
    pub(crate) fn apply(&self, source: usize, tree: &mut Node) -> Result<(), String> {
        let node = node_at(&self.path, Place { source, ..Place::START }, tree)?;
        let start = self.path.len() + "=".len();
        let place = Place { source, start, end: start + self.value.len() };
        *node = Node::read_value(&self.value, place);
        Ok(())
    }
}

/// The value at `path`. Keys that are missing in a table are added, with places at `origin`.
pub(crate) fn node_at<'a>(
    path: &str,
    origin: Place,
    tree: &'a mut Node,
) -> Result<&'a mut Node, String> {
    let mut node = tree;
    let mut walked = String::new();
    for step in steps(path)? {
        // The end distinguishes values that are added within each other.
        let place = Place { end: origin.start + walked.len(), ..origin };
        (node, walked) = match step {
            PathStep::Name(name) => {
                (named(node, name, &walked, place)?, format!("{walked}.{name}"))
            }
            PathStep::Index(at) => (indexed(node, at, &walked)?, format!("{walked}[{at}]")),
        };
    }
    Ok(node)
}

fn steps(path: &str) -> Result<Vec<PathStep<'_>>, String> {
    let mistake = |what: &str| {
        format!("{} is not a path: {what}; write `link.uplink.rate`", suggest::excerpt(path))
    };
    let mut steps = Vec::new();
    for segment in path.split('.') {
        let (name, mut indices) = segment.split_at(segment.find('[').unwrap_or(segment.len()));
        if name.is_empty() {
            return Err(mistake("a name is empty"));
        }
        steps.push(PathStep::Name(name));
        while let Some((index, rest)) = indices.strip_prefix('[').and_then(|s| s.split_once(']')) {
            let index = index.parse().map_err(|_| mistake("between [ and ] goes a number"))?;
            steps.push(PathStep::Index(index));
            indices = rest;
        }
        if !indices.is_empty() {
            return Err(mistake("an index looks like [0]"));
        }
        if steps.len() > MOST_STEPS {
            return Err(mistake("it is too long"));
        }
    }
    Ok(steps)
}

/// The value of the key `name`, added if it is missing, or the element of that name.
fn named<'a>(
    node: &'a mut Node,
    name: &str,
    walked: &str,
    place: Place,
) -> Result<&'a mut Node, String> {
    if matches!(node.value, Value::Array(_)) {
        return element(node, name, walked);
    }
    if node.value == Value::Null {
        *node = Node { place, value: Value::Table(Vec::new()) };
    }
    let is = node.value.to_string();
    let Value::Table(entries) = &mut node.value else {
        let what = walked.trim_start_matches('.');
        return Err(format!("`{what}` is {is}, in which there is no `{name}`"));
    };
    let index = entries.iter().position(|entry| entry.key == name).unwrap_or_else(|| {
        let node = Node { place, value: Value::Null };
        entries.push(Entry { key: name.into(), place, node });
        entries.len() - 1
    });
    Ok(&mut entries[index].node)
}

fn element<'a>(node: &'a mut Node, name: &str, walked: &str) -> Result<&'a mut Node, String> {
    let what = walked.trim_start_matches('.');
    let known: Vec<String> =
        node.elements().iter().filter_map(Node::name).map(String::from).collect();
    let hint = match name.parse::<usize>() {
        Ok(index) if index < node.elements().len() => format!("write `{what}[{index}]`"),
        _ => suggest::hint(name, &known),
    };
    elements(node)
        .iter_mut()
        .find(|element| element.name() == Some(name))
        .ok_or_else(|| format!("there is no {what} `{name}`; {hint}"))
}

fn indexed<'a>(node: &'a mut Node, index: usize, walked: &str) -> Result<&'a mut Node, String> {
    let what = walked.trim_start_matches('.');
    let hint = match node.elements().len() {
        0 => "it has no elements".into(),
        1 => format!("there is only {what}[0]"),
        number => format!("there are {what}[0] to {what}[{}]", number - 1),
    };
    elements(node).get_mut(index).ok_or_else(|| format!("there is no {what}[{index}]; {hint}"))
}

fn elements(node: &mut Node) -> &mut [Node] {
    if let Value::Array(elements) = &mut node.value { elements } else { &mut [] }
}
