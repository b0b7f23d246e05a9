// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainServer

/// A keychain that programs share, with the state that a daemon needs.
protocol ServedKeychain: KeychainBackend {
    /// The number of the current unlock of the device, which changes with each lock and each change of the passcode;
    /// `nil` while it is locked, and without a passcode.
    func currentUnlock() throws(KeychainError) -> UInt64?

    /// The access groups that contain items, as far as they are known, in a stable order.
    func accessGroups() throws(KeychainError) -> [String]

    /// Carries out a step of a move into the system service, or out of it.
    func move(_ step: StoreMove, by process: ProcessInstance) throws(KeychainError) -> KeychainReply
}

extension EmbeddedKeychain: ServedKeychain {}

extension ServedKeychain {
    /// Refuses, for a keychain that is not of the system service.
    func move(_ step: StoreMove, by process: ProcessInstance) throws(KeychainError) -> KeychainReply {
        try perform(.maintenance(.move(step)))
    }
}
