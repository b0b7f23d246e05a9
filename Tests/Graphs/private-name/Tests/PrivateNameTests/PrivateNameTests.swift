// SPDX-License-Identifier: Apache-2.0

import Aliased
import Direct
import Foundation
import Testing
import Unrelated

@Suite struct PrivateNameTests {
    @Test func theAliasedTargetSeesSecurity() {
        #expect(seesSecurity())
        let status = statusOfAnEmptyRequest()
        #expect(status.found == status.named)
        _ = makeContext()
    }

    @Test func theUnrelatedPackageDoesNot() {
        #expect(!sawSecurity())
        #expect(!sawLocalAuthentication())
    }

    @Test func typesAreTheSameByBothNames() throws {
        let accessControl = try #require(makeAccessControl())
        #expect(roundTrip(service: "com.example.graphs.\(UUID())", under: accessControl) == [0, 0, 0, -25300])
        let key = makeKey()
        #expect((blockSize(of: key) == nil) == (key == nil))
    }
}
