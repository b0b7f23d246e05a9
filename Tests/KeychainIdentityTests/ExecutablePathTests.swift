// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainHost
import KeychainTestSupport
import Testing

@Suite("The path of an executable that was replaced while it runs has no mark of the kernel")
struct ExecutablePathTests {
    @Test("the mark is removed, unless a file has that name")
    func onDisk() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "program")
        #expect(ExecutablePath.onDisk(path) == path)
        #expect(ExecutablePath.onDisk("\(path) (deleted)") == path)
        try Data().write(to: URL(fileURLWithPath: "\(path) (deleted)"))
        #expect(ExecutablePath.onDisk("\(path) (deleted)") == "\(path) (deleted)")
    }
}
