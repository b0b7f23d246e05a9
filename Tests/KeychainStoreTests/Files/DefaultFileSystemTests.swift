// SPDX-License-Identifier: Apache-2.0

import KeychainTestSupport
import Testing

@testable import KeychainStore

/// A host may have put another file system in the place of SQLite's own default.
struct DefaultFileSystemTests {
    @Test("a store is made and opened without the default file system of the process")
    func refusing() async {
        await #expect(processExitsWith: .success) {
            FaultyFileSystem.refuseDefault()
            let folder = try StoreFolder()
            #expect(try folder.open(keybag: [4]).keybag() == [4])
            #expect(try folder.open().keybag() == [4])
        }
    }
}
