//! Set-ups of a router.

/// The line of most set-ups, as it is told to the program.
pub(crate) const LINE: &str = "--up 2mbit --down 20mbit";

/// A set-up of the router.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetUp {
    /// Its name, of which the files have theirs.
    pub(crate) name: &'static str,
    /// What is typed on the fresh router.
    pub(crate) script: &'static str,
    /// What the program is told.
    pub(crate) options: &'static str,
    /// The names of what is wrong.
    pub(crate) wrong: &'static [&'static str],
    /// True if what the findings say is commands that mend all of it.
    pub(crate) is_mended: bool,
}

impl SetUp {
    /// A set-up in which this is wrong, and is mended by what the findings say.
    pub(crate) const fn broken(
        name: &'static str,
        script: &'static str,
        options: &'static str,
        wrong: &'static [&'static str],
    ) -> Self {
        Self { name, script, options, wrong, is_mended: true }
    }

    /// A set-up in which nothing is wrong.
    pub(crate) const fn healthy(
        name: &'static str,
        script: &'static str,
        options: &'static str,
    ) -> Self {
        Self::broken(name, script, options, &[]).by_hand()
    }

    /// The set-up, where no command alone mends it.
    pub(crate) const fn by_hand(self) -> Self {
        Self { is_mended: false, ..self }
    }

    /// The lines of the guest's script that examine the set-up.
    pub(crate) fn examination(&self) -> String {
        let Self { name, options, .. } = self;
        let treated =
            if self.is_mended { format!("treat {name} {options}\n") } else { String::new() };
        format!("examine {name} {options}\n{treated}")
    }
}
