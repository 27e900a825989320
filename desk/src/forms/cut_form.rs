//! The form that cuts the network of a client, with the mode, the direction and the end of the cut.
//! The same form changes a cut that is active.

use lictor_core::id::ActorName;
use lictor_core::time::Instant;
use lictor_sim::{Act, Cut, CutDirection, CutMode, Fault, Plan};
use lictor_view::rows::HostState;

use super::act_form::{seconds_of_time, time_of_seconds};

/// The fields of the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutForm {
    pub mode: CutMode,
    pub direction: CutDirection,
    /// The end of the cut in seconds of the world's time; empty for none.
    pub until: String,
}

/// Why the fields of the form are no cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CutFormError {
    /// The end is no number of seconds.
    #[error("the end is not a number of seconds")]
    Until,
    /// The end is not after the time at which the cut begins.
    #[error("the cut would end before it begins")]
    Past { now: Instant },
}

impl CutForm {
    /// The modes that can be chosen in the form.
    pub const MODES: [CutMode; 5] = [
        CutMode::Drop,
        CutMode::Reset,
        CutMode::HostUnreachable,
        CutMode::Reject,
        CutMode::InterfaceDown,
    ];
    pub const DIRECTIONS: [CutDirection; 3] =
        [CutDirection::Both, CutDirection::ToServer, CutDirection::FromServer];

    /// A silent cut of both directions without an end.
    pub fn silent() -> Self {
        Self { mode: CutMode::Drop, direction: CutDirection::Both, until: String::new() }
    }

    /// The active cut of a host, or a silent one.
    pub fn of(host: &HostState) -> Self {
        let Some(cut) = host.cut else { return Self::silent() };
        let until = host.cut_until.map_or_else(String::new, seconds_of_time);
        Self { mode: cut.mode, direction: cut.way, until }
    }

    /// The modes to choose from: those of the form, and that of the active cut if a script has
    /// begun a cut of another mode.
    pub fn modes(&self) -> impl Iterator<Item = CutMode> + use<> {
        let other = Some(self.mode).filter(|mode| !Self::MODES.contains(mode));
        Self::MODES.into_iter().chain(other)
    }

    /// The direction of the cut; both if its mode has none.
    pub fn direction(&self) -> CutDirection {
        if self.has_direction() { self.direction } else { CutDirection::Both }
    }

    /// Whether the direction makes a difference.
    pub fn has_direction(&self) -> bool {
        !self.mode.cuts_both_directions()
    }

    /// The act that begins the cut at this time. Fails if the end is no time or not later.
    pub fn act(&self, actor: &ActorName, now: Instant) -> Result<Act, CutFormError> {
        let plan = match self.until.trim() {
            "" => Plan::NOW,
            until => {
                let until = time_of_seconds(until).ok_or(CutFormError::Until)?;
                if until <= now {
                    return Err(CutFormError::Past { now });
                }
                Plan::lasting(until.since(now))
            }
        };
        let fault = Fault::Cut {
            actor: actor.clone(),
            cut: Cut { way: self.direction(), mode: self.mode },
        };
        Ok(Act::Inject { fault, plan })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::ConsulVersion;
    use lictor_sim::trace::{Names, words_of};
    use lictor_view::fresh_world::sandbox;
    use lictor_view::rows;
    use lictor_view::time_travel::TimeTravel;

    fn silent(until: &str) -> CutForm {
        CutForm { until: until.into(), ..CutForm::silent() }
    }

    fn host(past: &TimeTravel) -> HostState {
        let actor = past.world().actor("web-1").expect("it joined");
        rows::host(past.world(), actor)
    }

    fn words(form: &CutForm) -> String {
        let act = form.act(&"web-1".into(), Instant::from_millis(5_000)).expect("it is valid");
        words_of(&act, &Names::default())
    }

    #[test]
    fn the_act_has_the_mode_the_direction_and_the_span_until_the_end() {
        assert_eq!(words(&silent("")), "cut way=both mode=drop");
        assert_eq!(words(&silent(" 20.5 ")), "cut way=both mode=drop for=15.5s");
        let one_way = CutForm {
            mode: CutMode::Reset,
            direction: CutDirection::FromServer,
            until: "7".into(),
        };
        assert_eq!(words(&one_way), "cut way=from-server mode=reset for=2s");
        let down = CutForm { mode: CutMode::InterfaceDown, ..one_way };
        assert_eq!(words(&down), "cut way=both mode=interface-down for=2s", "it has no direction");
    }

    #[test]
    fn an_end_that_is_no_time_or_in_the_past_is_refused() {
        let now = Instant::from_millis(5_000);
        let act = |until: &str| silent(until).act(&"web-1".into(), now);
        assert_eq!(act("soon"), Err(CutFormError::Until));
        assert_eq!(act("-1"), Err(CutFormError::Until));
        assert_eq!(act("5"), Err(CutFormError::Past { now }));
    }

    #[test]
    fn a_cut_ends_at_its_time_and_can_be_changed_and_undone() {
        let mut past = TimeTravel::new(sandbox(ConsulVersion::default()));
        let actor = ActorName::from("web-1");
        let cut = |past: &mut TimeTravel, form: &CutForm| {
            let act = form.act(&actor, past.world().now()).expect("it is valid");
            past.perform(act).expect("it is possible");
        };
        cut(&mut past, &silent("20"));
        past.advance_to(Instant::from_millis(10_000));
        let form = CutForm::of(&host(&past));
        assert_eq!(form, silent("20"), "the form shows the cut that is active");

        cut(
            &mut past,
            &CutForm { direction: CutDirection::ToServer, until: "30".into(), ..form.clone() },
        );
        past.advance_to(Instant::from_millis(25_000));
        assert!(host(&past).cut.is_some(), "the first end is void");
        past.advance_to(Instant::from_millis(30_000));
        assert_eq!(host(&past).cut, None);

        assert!(past.undo(), "the change is an act");
        past.advance_to(Instant::from_millis(15_000));
        assert_eq!(CutForm::of(&host(&past)), form);
    }
}
