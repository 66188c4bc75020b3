//! Settings in files that are not in force.

mod network_manager;
mod networkd;
mod sqm;

use results::Fault;

use crate::scene::Scene;

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    for file in &scene.survey.files {
        faults.extend(networkd::find(scene, file));
        faults.extend(network_manager::find(scene, file));
    }
    faults.extend(sqm::find(scene));
}
