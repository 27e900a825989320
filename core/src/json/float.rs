//! Decimal numbers as floats: LockDelay may be written as one (SES-20).

/// What a float is multiplied by for each bit of its decimal exponent.
const POWERS: [f64; 9] = [1e1, 1e2, 1e4, 1e8, 1e16, 1e32, 1e64, 1e128, 1e256];

/// The float of a decimal number: the nearest one where the digits and the power of ten are exact,
/// else that or one beside it.
pub(super) fn float(text: &str) -> f64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let far = if exponent.starts_with('-') { -10_000 } else { 10_000 };
    let mut scale: i32 = exponent.parse().unwrap_or(far).clamp(-10_000, 10_000);
    let (mut number, mut is_behind_point) = (0_u64, false);
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' if number < u64::MAX / 100 => {
                number = number * 10 + u64::from(byte - b'0');
                scale -= i32::from(is_behind_point);
            }
            b'0'..=b'9' => scale += i32::from(!is_behind_point),
            b'.' => is_behind_point = true,
            _ => {}
        }
    }
    let size = scaled(number as f64, scale);
    if digits.starts_with('-') { -size } else { size }
}

fn scaled(number: f64, scale: i32) -> f64 {
    // A power that is a float itself, and then the rest.
    let rest = scale.unsigned_abs();
    let steps = [rest.min(300), rest.saturating_sub(300).min(400)];
    steps.iter().fold(number, |number, step| {
        let power = ten_to_the(*step);
        if number == 0.0 {
            number
        } else if scale < 0 {
            number / power
        } else {
            number * power
        }
    })
}

fn ten_to_the(exponent: u32) -> f64 {
    let is_set = |bit: &usize| exponent >> bit & 1 == 1;
    (0..POWERS.len()).filter(is_set).map(|bit| POWERS[bit]).product()
}
