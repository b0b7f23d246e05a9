// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainFiles

/// What the daemon of keychain files leaves to others.
struct ServedFamilyTests {
    @Test("commands for a data protection keychain are errSecUnimplemented, and the end of a context is done")
    func others() throws {
        let files = KeychainFiles.forTesting()
        let request = KeychainRequest(.copyMatching([:]), client: Client(accessGroups: ["example"]))
        for command in [.items(request), .device(.status), .maintenance(.check)] as [KeychainCommand] {
            let error = #expect(throws: KeychainError.self) { try files.perform(command) }
            #expect(error?.status == .unimplemented)
        }
        #expect(try files.perform(.files(.lockAll)) == .done)
        let context = try #require(Bytes16(Array(repeating: 0, count: 16)))
        #expect(try files.perform(.authentication(.release(context))) == .done)
    }
}
