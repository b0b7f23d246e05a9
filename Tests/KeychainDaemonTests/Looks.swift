// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import Synchronization

@testable import KeychainRouting

/// Counts how often a program looks at its store, each of which may fail.
final class Looks: KeychainBackend {
    private let failure: KeychainError?
    private let looks = Atomic(0)
    private let embedded = Mutex<EmbeddedKeychain?>(nil)

    init(_ failure: KeychainError? = nil) { self.failure = failure }

    var count: Int { looks.load(ordering: .relaxed) }

    var families: CommandFamily { .dataProtection }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard let embedded = try look() else { throw .unexpectedReply }
        return try embedded.perform(command)
    }

    /// The router that programs have, which looks at the store here.
    func router(_ parts: ProcessKeychain.Parts) -> RoutedKeychain {
        embedded.withLock { $0 = parts.embedded }
        return RoutedKeychain(parts, embedded: self) { [self] () throws(KeychainError) in
            try look()?.checkOwner() ?? false
        }
    }

    private func look() throws(KeychainError) -> EmbeddedKeychain? {
        looks.add(1, ordering: .relaxed)
        if let failure { throw failure }
        return embedded.withLock(\.self)
    }
}
