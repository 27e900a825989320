//! The CRC-32 checksum of zip files, which guards links, traces and dumped worlds against damage.

use crc::{CRC_32_ISO_HDLC, Crc};

pub(crate) const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
