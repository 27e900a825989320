//! Alias checks of agents, which have the state of other checks: those of a service, or those of a
//! node. They are brought up to date in the same step as the checks that they follow, where a real
//! agent needs a moment. agent_endpoints.rs registers them.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::event::EngineStep;
use super::server::Engine;
use crate::id::{Folded, NodeName, ServiceId};
use crate::message::CheckRun;
use crate::store::catalog::{Check, CheckStatus};

/// How the output of a failing alias begins.
const FAILING: &str = "Aliased check ";

impl Engine {
    /// Writes the alias checks whose state differs from what they follow. One may follow another,
    /// so this repeats; in a circle each gets as many turns as there are aliases.
    pub(super) fn update_aliases(&mut self, step: &mut EngineStep) {
        let is_alias = |run: &CheckRun| matches!(run, CheckRun::Alias { .. });
        let aliases = self.agent_checks.iter().filter(|(_, run)| is_alias(run)).count();
        for _ in 0..aliases {
            let stale = self.stale_aliases();
            if stale.is_empty() {
                return;
            }
            for (path, status, output) in stale {
                // It fails only if the node has gone, and its checks with it.
                let _ = self.set_status(step, &path, status, output.into());
            }
        }
    }

    fn stale_aliases(&self) -> Vec<((Folded, Folded), CheckStatus, String)> {
        let stale = |(path, run): (&(Folded, Folded), &CheckRun)| {
            let CheckRun::Alias { node, service } = run else { return None };
            let own = self.store.catalog().check(&path.0, &path.1)?;
            let (status, output) = self.followed(own, node.as_ref(), service.as_ref());
            let is_same = own.status == status && *own.output == *output;
            (!is_same).then(|| (path.clone(), status, output))
        };
        self.agent_checks.iter().filter_map(stale).collect()
    }

    /// The state and output that an alias takes: of the first critical check, else of the last one
    /// that warns.
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
            let of = check.service.as_ref().map(ServiceId::folded);
            (of.is_none() || of == service) && check.path() != alias.path()
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

/// What an alias says of a check that fails. It repeats the text of another alias, so that the text
/// of aliases in a circle does not grow.
fn failing(check: &Check) -> String {
    if check.output.starts_with(FAILING) {
        return check.output.as_ref().into();
    }
    format!("{FAILING}{:?} failing: {}", check.name, check.output)
}
