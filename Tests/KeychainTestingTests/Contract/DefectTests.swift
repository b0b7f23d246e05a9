// SPDX-License-Identifier: Apache-2.0

import KeychainSimulation
import KeychainTesting
import Testing

@Suite("The contract finds a single defect in functions that are right otherwise")
struct DefectTests {
    @Test("a mock with the defect breaks these rules, and no other", arguments: Defect.all)
    func single(_ defect: Defect) throws {
        let broken = try KeychainContract.violations(of: defect.functions).map(\.rule.name)
        #expect(Set(broken) == Set(defect.broken))
    }

    @Test("without a defect no rule is broken", arguments: VirtualDevice.Platform.withOneKeychain)
    func none(_ platform: VirtualDevice.Platform) throws {
        #expect(try KeychainContract.violations(of: DefectiveFunctions(), on: platform) == [])
    }
}
