//! What the user's settings add to what was typed.

use super::{Args, FixArgs, TestArgs, Verb};
use crate::settings::Settings;

impl Args {
    /// Fills in the settings for what was not typed.
    pub(crate) fn complete(&mut self, settings: &Settings) {
        match &mut self.verb {
            Some(Verb::Test(args)) => args.complete(settings),
            Some(Verb::Fix(args)) => args.complete(settings),
            #[cfg(feature = "watch")]
            Some(Verb::Watch(args)) if args.verb.is_none() => {
                if args.store.is_none() {
                    args.store = settings.path("store");
                }
                let is_tested = args.test_on_spike || !args.test_at.is_empty();
                let has_server = args.targets.iter().any(|target| target.starts_with("server:"));
                if is_tested && !has_server && args.test_server.is_none() {
                    args.test_server = settings.value("server");
                    args.token_file =
                        args.token_file.take().or_else(|| settings.path("token-file"));
                }
            }
            _ => {}
        }
    }
}

impl TestArgs {
    fn complete(&mut self, settings: &Settings) {
        if self.server.is_some() || self.asks_another() {
            return;
        }
        self.server = settings.value("server");
        // A token is for this server alone.
        self.token_file = self.token_file.take().or_else(|| settings.path("token-file"));
    }

    /// True if the server is one of the IETF's responsiveness, which is no server of ours.
    fn asks_another(&self) -> bool {
        #[cfg(feature = "responsiveness")]
        return self.ietf.responsiveness;
        #[cfg(not(feature = "responsiveness"))]
        false
    }
}

impl FixArgs {
    fn complete(&mut self, settings: &Settings) {
        if self.apply.undo {
            return;
        }
        self.platform = self.platform.or_else(|| settings.platform());
        if self.source.is_none() && self.up.is_none() && self.down.is_none() {
            self.source = settings.value("server");
            self.token_file = self.token_file.take().or_else(|| settings.path("token-file"));
        }
    }
}
