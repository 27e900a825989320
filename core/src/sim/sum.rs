//! CRC-32, as zip files have it, over what leaves the program and comes back.

use crc::{CRC_32_ISO_HDLC, Crc, NoTable};

/// For links and stories: they are short, and a table would only make the page larger.
pub(super) const OF_TEXT: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);

/// For whole worlds.
#[cfg(feature = "records")]
pub(super) const OF_WORLD: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
