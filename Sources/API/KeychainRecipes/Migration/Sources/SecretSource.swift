// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A place outside of the keychain that a secret is moved out of.
///
/// A conformer says that there is no secret only when that is so, and removes only what it was shown: a migration
/// relies on both.
public protocol SecretSource: Sendable {
    /// What the place is called in reports and errors: a path, a key, never the secret.
    var name: String { get }

    /// Reads the secret.
    ///
    /// - Returns: The secret; `nil` only if there is none.
    /// - Throws: ``SecretSourceError`` when it cannot be read now, or is not what the place should hold.
    func read() throws(SecretSourceError) -> Data?

    /// Removes the secret so that it is still gone after a loss of power, as far as the place can promise that.
    ///
    /// Succeeds when it is gone already.
    ///
    /// - Parameter secret: The secret that was read.
    /// - Throws: ``SecretSourceError``; with ``SecretSourceError/Reason/changed`` when another secret is there.
    func remove(_ secret: Data) throws(SecretSourceError)
}

/// Why a place outside of the keychain did not give or give up a secret.
public struct SecretSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong.
    public enum Reason: String, Sendable, Hashable {
        /// It cannot be read: no permission, or the device is locked and the file is protected.
        case unreadable
        /// What lies there is not of the form that the place should have.
        case malformed
        /// It has another name, which removing would leave: a symbolic link, or a file with several hard links.
        case hasOtherNames
        /// Another secret is there than the one that was read.
        case changed
        /// It could not be removed for good.
        case notRemoved
    }

    /// What went wrong.
    public var reason: Reason

    /// The name of the place.
    public var source: String

    /// The system's error number, where there is one.
    public var errorNumber: Int32?

    /// An error.
    public init(_ reason: Reason, source: String, errorNumber: Int32? = nil) {
        self.reason = reason
        self.source = source
        self.errorNumber = errorNumber
    }

    /// One line, without any secret.
    public var description: String {
        let sentence =
            switch reason {
            case .unreadable: "\(source) cannot be read now"
            case .malformed: "\(source) does not hold what it should"
            case .hasOtherNames: "\(source) has another name, under which the secret would stay"
            case .changed: "\(source) holds another secret than the one that was read"
            case .notRemoved: "\(source) could not be removed for good"
            }
        return errorNumber.map { "\(sentence) (error number \($0))" } ?? sentence
    }
}
