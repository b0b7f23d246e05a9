// SPDX-License-Identifier: Apache-2.0

import Testing

#if canImport(Darwin)
import os
#else
import PortableOS
#endif

/// The samples of ImportingOS.
@Suite("The samples of the page about os")
struct OSPageSamples {
    @Test(arguments: zip(["ada"], [2])) func log(user: String, count: Int) {
        let logger = Logger(subsystem: "com.example.tool", category: "session")
        logger.info("signed in as \(user), attempt \(count)")
    }
}
