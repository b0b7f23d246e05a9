// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the mark of an installation is kept that dies with the app: not in the keychain.
public protocol InstallationMarkStore: Sendable {
    /// Reads the mark.
    ///
    /// - Returns: The mark; `nil` only when there is none. To say so of a mark that merely cannot be read now has the
    ///   items of this installation taken for leftovers.
    /// - Throws: ``InstallationMarkError`` when it cannot be said whether there is one.
    func readMark() throws(InstallationMarkError) -> String?

    /// Writes the mark in place of the one before.
    ///
    /// - Returns: Whether it was written.
    func writeMark(_ mark: String) -> Bool
}

/// The mark of an installation cannot be read now; this does not say that there is none.
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

/// The mark of an installation in the user defaults, which go with the app when it is removed, and into its backups.
public struct UserDefaultsMark: InstallationMarkStore {
    /// The suite; `nil` for the app's own defaults.
    ///
    /// An extension has other defaults of its own than its app, and would find no mark there: have only the app ask the
    /// detector.
    ///
    /// The defaults of an app group outlive the app as long as another app has the group: they tell no reinstallation.
    public let suite: String?

    /// The key.
    public let key: String

    /// A mark in user defaults.
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
    /// - Throws: ``InstallationMarkError`` when there are no such defaults, or they hold something else under the key.
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
