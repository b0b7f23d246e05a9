// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import Synchronization

/// Has a service look for changes when a test says so.
final class ChangeTrigger: Sendable {
    let changed = Mutex<(@Sendable () -> Void)?>(nil)

    func tell() { changed.withLock(\.self)?() }
}

/// Keychain files whose commands can be held up.
final class DelayedFiles: KeychainBackend {
    let delay = Mutex<(@Sendable (KeychainCommand) -> Void)?>(nil)
    private let files: KeychainFiles

    init(_ files: KeychainFiles) { self.files = files }

    var families: CommandFamily { files.families }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        delay.withLock(\.self)?(command)
        return try files.carryOut(command)
    }
}
