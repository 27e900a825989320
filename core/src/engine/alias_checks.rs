//! Alias checks of agents, which have the state of other checks: those of a node, or those of a
//! service and of its node. They are brought up to date in the same step as the checks that they
//! follow, where a real agent needs a moment.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::event::EngineStep;
use super::server::Engine;
use crate::id::{Folded, NodeName, ServiceId, go_quoted};
use crate::message::CheckRun;
use crate::store::catalog::{Check, CheckStatus};

/// How the output of a failing alias begins.
const FAILING: &str = "Aliased check ";

impl Engine {
    /// Writes the alias checks whose state differs from what they follow. One may follow another,
    /// so this repeats, at most as often as there are aliases.
    pub(super) fn update_aliases(&mut self, step: &mut EngineStep) {
        let is_alias = |run: &CheckRun| matches!(run, CheckRun::Alias { .. });
        let aliases = self.agent_checks.iter().filter(|(_, run)| is_alias(run));
        let paths: Vec<_> = aliases.map(|(path, _)| path.clone()).collect();
        for _ in &paths {
            // Each sees the writes of those before it: in a circle they would else swap their
            // states again and again.
            let writes = paths.iter().filter(|path| self.update_alias(step, path)).count();
            if writes == 0 {
                return;
            }
        }
    }

    /// Returns whether the alias was written.
    fn update_alias(&mut self, step: &mut EngineStep, path: &(Folded, Folded)) -> bool {
        let Some(CheckRun::Alias { node, service }) = self.agent_checks.get(path) else {
            return false;
        };
        let Some(own) = self.store.catalog().check(&path.0, &path.1) else { return false };
        let (status, output) = self.followed(own, node.as_ref(), service.as_ref());
        if own.status == status && *own.output == *output {
            return false;
        }
        self.set_status(step, path, status, output.into()).is_ok()
    }

    /// The state and output that an alias takes: of the first critical check, else of the last one
    /// that warns, else passing. An alias of a service that does not exist is critical.
    fn followed(
        &self,
        alias: &Check,
        node: Option<&NodeName>,
        service: Option<&ServiceId>,
    ) -> (CheckStatus, String) {
        let node = node.unwrap_or(&alias.node).folded();
        let service = service.map(ServiceId::folded);
        let catalog = self.store.catalog();
        if let Some(id) = &service
            && catalog.service(&node, id).is_none()
        {
            let text =
                format!("Service {} could not be found on node {}", id.as_str(), node.as_str());
            return (CheckStatus::Critical, text);
        }
        let is_followed = |check: &&Arc<Check>| {
            let own_service = check.service.as_ref().map(ServiceId::folded);
            (own_service.is_none() || own_service == service) && check.path() != alias.path()
        };
        let (mut status, mut output) = (CheckStatus::Passing, String::from("No checks found."));
        for check in catalog.checks_of(&node).filter(is_followed) {
            if matches!(check.status, CheckStatus::Critical | CheckStatus::Warning) {
                status = check.status.clone();
                output = failing(check);
                if check.is_critical() {
                    break;
                }
            } else if status == CheckStatus::Passing {
                output = "All checks passing.".into();
            }
        }
        (status, output)
    }
}

/// The output of an alias of a failing check. It repeats the text of another alias, so that the
/// text of aliases in a circle does not grow.
fn failing(check: &Check) -> String {
    if check.output.starts_with(FAILING) {
        return check.output.as_ref().into();
    }
    format!("{FAILING}{} failing: {}", go_quoted(&check.name), check.output)
}
