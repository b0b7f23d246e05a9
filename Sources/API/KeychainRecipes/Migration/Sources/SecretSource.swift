// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A place outside the keychain from which a secret is moved.
///
/// A conformer reports that there is no secret only if that is certain, and removes only the secret that it is given: a
/// migration relies on both.
public protocol SecretSource: Sendable {
    /// The name of the place in reports and errors: a path, a key, never the secret.
    var name: String { get }

    /// Reads the secret.
    ///
    /// - Returns: The secret; `nil` only if there is none.
    /// - Throws: ``SecretSourceError`` if it cannot be read at the moment, or has an unexpected form.
    func read() throws(SecretSourceError) -> Data?

    /// Removes the secret so that it is still gone after a power failure, as far as the place can guarantee that.
    ///
    /// Succeeds if it is already gone.
    ///
    /// - Parameter secret: The secret that was read.
    /// - Throws: ``SecretSourceError``; with ``SecretSourceError/Reason/changed`` if there is another secret.
    func remove(_ secret: Data) throws(SecretSourceError)
}

/// Why a secret could not be read from or removed from a place outside the keychain.
public struct SecretSourceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Reason: String, Sendable, Hashable {
        /// It cannot be read: no permission, or the device is locked and the file is protected.
        case unreadable
        /// The contents do not have the expected form.
        case malformed
        /// It has another name, which removing would leave: a symbolic link, or a file with several hard links.
        case hasOtherNames
        /// There is another secret than the one that was read.
        case changed
        /// It could not be removed for good.
        case notRemoved
    }

    /// The kind of failure.
    public var reason: Reason

    /// The name of the place.
    public var source: String

    /// The system's error number, if there is one.
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
