//! The CRC-32 checksum of zip files, which reveals damage in links, traces and dumped worlds.

use crc::{CRC_32_ISO_HDLC, Crc};

pub(crate) const CHECKSUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
