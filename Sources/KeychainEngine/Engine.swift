// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The rules of the keychain over one store and one device: no global state, no file names, no Foundation.
///
/// Each operation is a file in `Operations/`. Not thread-safe: ``EmbeddedKeychain`` lets one call in at a time.
final class Engine {
    let store: Store
    let device: Device
    let clock: any KeychainClock
    let random: any RandomSource

    init(store: Store, device: Device, clock: any KeychainClock, random: any RandomSource) {
        self.store = store
        self.device = device
        self.clock = clock
        self.random = random
    }

    /// Carries out a request.
    func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        let operation = request.client.profile == .macOS ? MacOSFrontEnd.prune(request.operation) : request.operation
        switch operation {
        case .add(let dictionary):
            return try add(dictionary, for: request.client)
        case .copyMatching(let dictionary):
            return try copyMatching(dictionary, for: request.client)
        case .update(let query, let attributes):
            try update(query, attributes, for: request.client)
            return .nothing
        case .delete(let dictionary):
            try delete(dictionary, for: request.client)
            return .nothing
        }
    }
}
