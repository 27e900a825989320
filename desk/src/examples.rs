//! Texts that fill the field of a guide or of an incident at one press, for readers without one of
//! their own.

/// Commands that take a lock and release it.
pub const GUIDE: &str = include_str!("examples/guide.md");

/// The lists and the log of a server on which nobody holds a lock and a client asks for it in vain.
pub const INCIDENT: &str = include_str!("examples/incident.txt");

#[cfg(test)]
mod tests {
    use crate::console::Guide;

    #[test]
    fn every_command_of_the_example_of_a_guide_is_a_step() {
        let guide = Guide::read(super::GUIDE);
        assert_eq!((guide.steps.len(), guide.left_out.len()), (4, 0));
    }
}
