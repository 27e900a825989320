//! The types of rows as filters see them: which fields a row has, and of which kind each one is.

/// The type of a field.
#[derive(Debug)]
#[non_exhaustive]
pub enum FieldType<'a, T> {
    /// A text.
    Text,
    /// `true` or `false`.
    Bool,
    /// A whole number of 64 bits.
    Int,
    /// A whole number without a sign, of this number of bits.
    Uint(u32),
    /// A list of values of one type.
    List(&'a T),
    /// Values of one type under any names.
    Map(&'a T),
    /// Fields of their own.
    Struct,
    /// A value that filters do not see.
    Hidden,
}

/// A type of rows, or of their fields.
pub trait RowType: Sized {
    /// What the type is.
    fn field_type(&self) -> FieldType<'_, Self>;

    /// The type of a field by its name, if filters see it.
    fn member(&self, name: &str) -> Option<&Self>;
}
