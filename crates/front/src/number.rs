//! A number as a protocol or the kernel writes it.

/// Digits alone.
pub(crate) fn number(digits: &[u8]) -> Option<u64> {
    let add = |sum: u64, digit: &u8| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    };
    if digits.is_empty() { None } else { digits.iter().try_fold(0, add) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_are_a_number() {
        for n in [0, 7, 10, 4096, u64::MAX] {
            assert_eq!(number(n.to_string().as_bytes()), Some(n));
        }
        for bad in ["", "x", "-1", "+1", "18446744073709551616"] {
            assert_eq!(number(bad.as_bytes()), None, "{bad}");
        }
    }
}
