// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KeychainControl

/// BringingAnApplePackage, and what `keychainctl test` says.
@Suite("Bringing an Apple package to Linux")
struct ApplePackageTests {
    @Test("the table of what cannot work has each module of Apple's alone", arguments: AppleOnlyModule.allCases)
    func modules(_ module: AppleOnlyModule) throws {
        let page = "Sources/API/Reexports/PortableSecurity/PortableSecurity.docc/BringingAnApplePackage.md"
        let table = try Repository.lines(of: page).drop { $0 != "## What cannot work, and what to do" }
        let names = ["`\(module.rawValue)`", "`import \(module.rawValue)`"]
        #expect(table.contains { line in line.hasPrefix("| ") && names.contains { line.contains($0) } })
    }
}
