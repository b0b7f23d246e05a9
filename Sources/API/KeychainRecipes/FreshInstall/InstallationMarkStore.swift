// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A store, outside the keychain, for the mark of an installation, which is removed with the app.
public protocol InstallationMarkStore: Sendable {
    /// Reads the mark.
    ///
    /// - Returns: The mark; `nil` only if there is none. Returning `nil` for a mark that merely cannot be read at the
    ///   moment would make the items of this installation appear as leftovers.
    /// - Throws: ``InstallationMarkError`` if it is unknown whether there is one.
    func readMark() throws(InstallationMarkError) -> String?

    /// Writes the mark in place of the one before.
    ///
    /// - Returns: Whether it was written.
    func writeMark(_ mark: String) -> Bool
}

/// The mark of an installation cannot be read at the moment; there may or may not be one.
public struct InstallationMarkError: Error, Sendable, CustomStringConvertible {
    /// The error underneath.
    public let cause: (any Error)?

    /// An error.
    ///
    /// - Parameter cause: the error underneath.
    public init(_ cause: (any Error)? = nil) { self.cause = cause }

    /// One line.
    public var description: String { "the mark of the installation cannot be read now" }
}

/// The mark of an installation in the user defaults, which are removed with the app, and included in its backups.
public struct UserDefaultsMark: InstallationMarkStore {
    /// The suite; `nil` for the app's own defaults.
    ///
    /// An extension has other defaults than its app, and would find no mark there: use the detector only in the app.
    ///
    /// The defaults of an app group outlive the app while another app has the group: they cannot detect a
    /// reinstallation.
    public let suite: String?

    /// The key.
    public let key: String

    /// Creates a mark in user defaults.
    ///
    /// - Parameters:
    ///   - key: the key of the mark.
    ///   - suite: the suite; `nil` for the app's own defaults.
    public init(key: String = "installation-mark", suite: String? = nil) {
        self.key = key
        self.suite = suite
    }

    /// Reads the mark.
    ///
    /// - Returns: The mark; `nil` when there is none.
    /// - Throws: ``InstallationMarkError`` if there are no such defaults, or they have another value for the key.
    public func readMark() throws(InstallationMarkError) -> String? {
        guard let defaults else { throw InstallationMarkError() }
        guard let value = defaults.object(forKey: key) else { return nil }
        guard let mark = value as? String else { throw InstallationMarkError() }
        return mark
    }

    /// Writes the mark, and has the defaults written.
    public func writeMark(_ mark: String) -> Bool {
        guard let defaults else { return false }
        defaults.set(mark, forKey: key)
        return defaults.synchronize()
    }

    private var defaults: UserDefaults? {
        guard let suite else { return .standard }
        return UserDefaults(suiteName: suite)
    }
}
