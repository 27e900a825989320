//! A table of values as a CSV file (RFC 4180), which spreadsheets open.

/// The first characters that make a spreadsheet compute a cell.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The text of the file: a line of column names, and a line for each row. Spreadsheets recognise
/// UTF-8 by the byte order mark at its beginning.
pub fn table<const COLUMNS: usize>(
    head: [String; COLUMNS],
    rows: impl Iterator<Item = [String; COLUMNS]>,
) -> String {
    let mut table = "\u{feff}".to_owned() + &line(head);
    rows.for_each(|row| table.push_str(&line(row)));
    table
}

fn line<const COLUMNS: usize>(cells: [String; COLUMNS]) -> String {
    let quoted = cells.map(|text| {
        let inert = if text.starts_with(FORMULA) { "'" } else { "" };
        format!("\"{inert}{}\"", text.replace('"', "\"\""))
    });
    quoted.join(",") + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_commas_stay_in_their_cells() {
        let row = |one: &str, two: &str| [one.to_owned(), two.to_owned()];
        let table = table(row("a", "b"), [row("1,2", "say \"hi\"\n")].into_iter());
        assert_eq!(table, "\u{feff}\"a\",\"b\"\r\n\"1,2\",\"say \"\"hi\"\"\n\"\r\n");
    }

    #[test]
    fn a_cell_that_looks_like_a_formula_is_inert() {
        let table = table(
            ["=1+1".to_owned()],
            ["@a", "-1", "+1", "a=1"].map(|it| [it.to_owned()]).into_iter(),
        );
        assert_eq!(table, "\u{feff}\"'=1+1\"\r\n\"'@a\"\r\n\"'-1\"\r\n\"'+1\"\r\n\"a=1\"\r\n");
    }
}
