// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Logging
import Vault

/// Keeps digests of secrets and logs it: this program's swift-crypto and swift-log beside those of the keychain.
public struct DigestedVault {
    private let vault: Vault
    private let logger: Logger

    /// The digests of a service.
    public init(service: String, logger: Logger) {
        vault = Vault(service: service)
        self.logger = logger
    }

    /// Keeps the digest of a secret.
    public func set(_ secret: String, for name: String) throws {
        try vault.set(digest(secret), for: name)
        logger.info("kept \(name)")
    }

    /// Whether this is the secret whose digest is kept.
    public func matches(_ secret: String, for name: String) throws -> Bool {
        try vault.secret(for: name) == digest(secret)
    }

    /// Removes the digest.
    public func remove(_ name: String) throws { try vault.remove(name) }

    private func digest(_ secret: String) -> String {
        SHA256.hash(data: Data(secret.utf8)).map { String(format: "%02x", $0) }.joined()
    }
}
