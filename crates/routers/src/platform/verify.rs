//! What a router shows, beside the plan for it.

use remedy::Prescription;
use results::{CheckedSetting, Verification};

use super::{Ours, Platform, Wan};
use crate::error::PlatformError;
use crate::readback;

impl Platform {
    /// What a router of this platform shows, beside the plan: the text is the answer to the plan's
    /// check commands. `None` if it shows neither a configuration nor queues that this platform has.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    pub fn verify(
        &self,
        prescription: &Prescription,
        wan: Option<&str>,
        shown: &str,
    ) -> Result<Option<Verification>, PlatformError> {
        let plan = self.plan(prescription, wan)?;
        let wan = wan.filter(|_| self.wan != Wan::Unused);
        // Where nobody names the interface, it is that which the configuration has.
        let named = wan.map(str::to_owned).or_else(|| readback::interface(shown));
        let ifb = match self.shows.ours {
            Ours::Device(device) => named.as_deref().map(device),
            Ours::Replaced | Ours::Nodes => None,
        };
        let translated = self.shows.as_tc.zip(wan).map(|(as_tc, wan)| as_tc(shown, wan));
        let shown = translated.as_deref().unwrap_or(shown);
        let shown = match &named {
            Some(wan) => readback::of_interface(shown, wan, ifb.as_deref()),
            None => shown.to_owned(),
        };
        let commands = plan.steps.iter().flat_map(|step| &step.commands);
        let planned: String = commands.map(|line| format!("{line}\n")).collect();
        let planned = match wan {
            Some(wan) => planned.replace("\"$wan\"", wan),
            None => planned,
        };
        let configuration =
            self.shows.configuration.and_then(|read| readback::compare(read, &planned, &shown));
        let queues = self.shows.queues.and_then(|queues| {
            let planned = queues(prescription, named.as_deref().unwrap_or("wan"));
            readback::compare(readback::cake, &planned, &shown)
        });
        if configuration.is_none() && queues.is_none() {
            return Ok(None);
        }
        let is_asked = |line: &String| line.starts_with("tc -s filter");
        let has_filter = plan.check.iter().flat_map(|step| &step.commands).any(is_asked);
        let place = named.as_deref().zip(ifb.as_deref()).filter(|_| has_filter);
        let redirect = place.map(|(wan, ifb)| readback::redirect(&shown, wan, ifb));
        let are_unseen = queues.is_none() && self.shows.queues.is_some();
        let unseen = are_unseen.then(readback::unseen_queues);
        let left = self.left(prescription, named.as_deref(), &planned, &shown);
        let compared = configuration.into_iter().chain(queues).flatten();
        let settings = compared.chain(redirect).chain(unseen).chain(left).collect();
        Ok(Some(Verification::of(&plan.platform, settings)))
    }

    /// What an earlier plan of ours has left in a direction that the plan does not shape.
    fn left(
        &self,
        prescription: &Prescription,
        wan: Option<&str>,
        planned: &str,
        shown: &str,
    ) -> Vec<CheckedSetting> {
        match self.shows.ours {
            Ours::Replaced => Vec::new(),
            Ours::Nodes => readback::left_nodes(planned, shown),
            Ours::Device(device) => {
                let device = wan.filter(|_| prescription.down.is_err()).map(device);
                device.and_then(|it| readback::left_queue(shown, &it)).into_iter().collect()
            }
        }
    }
}
