// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A secret that is a value in the user defaults: text or bytes.
///
/// Removing it removes the value and requests that the defaults be written. The system decides when they reach the
/// medium: user defaults guarantee nothing about a power failure, after which the value may be back. The next run of a
/// migration removes it again.
///
/// - Important: On iOS the defaults of an app are empty if it is started before the first unlock. So do not remember
///   that there was nothing to migrate: run the migration at each start.
public struct UserDefaultsSecret: SecretSource {
    /// The suite; `nil` for the app's own defaults.
    public let suite: String?

    /// The key.
    public let key: String

    /// Creates a source for a secret in user defaults.
    ///
    /// - Parameters:
    ///   - key: the key of the value.
    ///   - suite: the suite; `nil` for the app's own defaults.
    public init(key: String, suite: String? = nil) {
        self.key = key
        self.suite = suite
    }

    /// The suite and the key.
    public var name: String { "user defaults\(suite.map { " '\($0)'" } ?? ""), key '\(key)'" }

    /// Reads the value; text as UTF-8.
    public func read() throws(SecretSourceError) -> Data? {
        guard let value = try defaults().object(forKey: key) else { return nil }
        guard let secret = StoredSecret.bytes(of: value) else { throw SecretSourceError(.malformed, source: name) }
        return secret
    }

    /// Removes the value.
    public func remove(_ secret: Data) throws(SecretSourceError) {
        let defaults = try defaults()
        guard let value = defaults.object(forKey: key) else { return }
        guard StoredSecret.bytes(of: value) == secret else { throw SecretSourceError(.changed, source: name) }
        defaults.removeObject(forKey: key)
        Checkpoint.notifyObserver("object removed")
        // A value from registered defaults or a managed configuration remains.
        guard defaults.synchronize(), defaults.object(forKey: key) == nil else {
            throw SecretSourceError(.notRemoved, source: name)
        }
    }

    // Made for each use: the class is thread-safe, but not Sendable everywhere.
    private func defaults() throws(SecretSourceError) -> UserDefaults {
        guard let suite else { return .standard }
        guard let defaults = UserDefaults(suiteName: suite) else { throw SecretSourceError(.unreadable, source: name) }
        return defaults
    }
}
