// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// The keychain of a user without a home folder: nothing is stored, and nothing can be.
final class HomelessKeychain: KeychainBackend {
    private let error: KeychainError
    private let empty = EmbeddedKeychain.inMemory()

    /// A keychain that fails with an error wherever something would be stored.
    init(_ error: KeychainError) { self.error = error }

    /// Looks for what a command names in an empty keychain, or says why there is none.
    func perform(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard !command.storesSomething else { throw error }
        return try empty.perform(command)
    }
}

extension KeychainCommand {
    /// Whether it makes a store where there is none, or needs one.
    fileprivate var storesSomething: Bool {
        switch self {
        case .items(let request): request.storesSomething
        case .itemsExplained(let request): request.call.storesSomething
        case .explain: false
        case .device, .authentication, .enclave, .maintenance, .files: true
        }
    }
}

extension KeychainRequest {
    fileprivate var storesSomething: Bool {
        switch operation {
        case .add, .set: true
        case .copyMatching, .update, .delete: false
        }
    }
}
