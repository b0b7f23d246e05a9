// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

/// One keychain file in the hands of one process after the other.
@Suite(.timeLimit(.minutes(5)))
struct FileProcessTests {
    private let folder: DaemonFolder

    init() throws { folder = try DaemonFolder.ofKeychainFiles() }

    /// What a step gives in a process that was started for it.
    private func status(_ step: String) throws -> Int? {
        let process = try StormProcess(folder.location.path)
        return try process.ask("file \(step)").status
    }

    @Test("What one process unlocks the next one reads, until another one locks it or the daemon is killed")
    func oneAfterTheOther() throws {
        for step in ["create", "add", "read", "lock"] { #expect(try status(step) == 0, "\(step)") }
        let locked = Int(Status.interactionNotAllowed.rawValue)
        #expect(try status("read") == locked)
        #expect(try status("list") == 0)
        #expect(try status("unlock") == 0)
        #expect(try status("read") == 0)
        #expect(folder.end(by: SIGKILL))
        #expect(try status("read") == locked)
        #expect(try status("list") == 0)
        #expect(try status("unlock") == 0)
        #expect(try status("read") == 0)
    }
}
