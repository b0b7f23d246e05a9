// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A secret that is a value in the user defaults: text or bytes.
///
/// Removing it removes the value and asks for the defaults to be written. When they are on the medium is the system's
/// matter: user defaults promise nothing about a loss of power, after which the value may be there again. The next run
/// of a migration removes it again.
///
/// - Important: On iOS the defaults of an app are empty for an app that is started before the first unlock. That there
///   is nothing to migrate is therefore not something to remember: run the migration at each start.
public struct UserDefaultsSecret: SecretSource {
    /// The suite; `nil` for the app's own defaults.
    public let suite: String?

    /// The key.
    public let key: String

    /// The secret in user defaults.
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
        Checkpoint.reach("object removed")
        // What registered defaults or a managed configuration say is there still.
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
