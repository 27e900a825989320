//! The names of saved worlds: each is unique and of limited length.

/// The longest name, in characters.
pub const NAME_MAX: usize = 80;

/// The name, or the name with the first number from 2 on that makes it differ from those of the
/// other worlds.
pub fn free_name(name: &str, others: &[&str]) -> String {
    let is_free = |name: &String| !others.contains(&name.as_str());
    let numbered = (2_usize..).map(|number| {
        let suffix = format!(" {number}");
        let kept = name.chars().take(NAME_MAX - suffix.len());
        kept.chain(suffix.chars()).collect::<String>()
    });
    let name = name.chars().take(NAME_MAX).collect::<String>();
    core::iter::once(name).chain(numbered).find(is_free).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_another_world_has_gets_a_number() {
        let others = ["db", "db 2", "web"];
        let free = |name: &str| free_name(name, &others);
        assert_eq!(free("jobs"), "jobs");
        assert_eq!(free("web"), "web 2");
        assert_eq!(free("db"), "db 3");
        let long = "键".repeat(NAME_MAX);
        let numbered = free_name(&long, &[&long]);
        assert_eq!(numbered, format!("{} 2", "键".repeat(NAME_MAX - 2)));
    }
}
