//! The error that a user sees for a mistake: its place in the text, and the name of the field.

use crate::ScenarioError;
use crate::fault::Fault;
use crate::source::{Place, Sources};
use crate::tree::{Node, join};

impl Fault {
    /// The error for users. `tree` holds the places; `None` if it was not read that far.
    pub(crate) fn into_error(self, sources: &Sources<'_>, tree: Option<&Node>) -> ScenarioError {
        let place = self.place.unwrap_or(Place::START);
        let field =
            tree.and_then(|tree| tree.field(self.whole.unwrap_or(place))).unwrap_or_default();
        sources.error(place, join(&field, self.missing.unwrap_or_default()), self.message)
    }
}
