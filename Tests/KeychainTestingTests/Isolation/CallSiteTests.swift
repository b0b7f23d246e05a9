// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Testing

@testable import KeychainTesting

struct CallSiteTests {
    @Test("a caller that keeps no frame pointer ends the stack, and not the process")
    func withoutFramePointer() async {
        await #expect(processExitsWith: .success) {
            storm_call_without_frame_pointer {
                _ = CallSite.addresses()
                _ = CallSite.find()
            }
        }
    }

    @Test("a caller is found by its line, also from an asynchronous function")
    func line() async {
        func here() async -> CallSite? { await Task { CallSite.find() }.value }
        let (direct, later) = (CallSite.find(), await here())
        #expect(direct?.location?.path == #filePath)
        #expect(later?.location?.path == #filePath)
        let addresses = CallSite.addresses()
        #expect(addresses.count > 3)
    }
}
