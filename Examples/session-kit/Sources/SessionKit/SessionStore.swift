// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

/// Where the session is kept.
public protocol SessionStore: Sendable {
    /// Reads the session.
    ///
    /// - Returns: The session; `nil` only if there is none. That it cannot be read now is an error.
    /// - Throws: ``SessionStoreError``
    func load() throws -> Session?

    /// Keeps a session in place of the one before.
    ///
    /// - Throws: ``SessionStoreError``; the one before is there still.
    func save(_ session: Session) throws

    /// Forgets the session.
    ///
    /// - Throws: ``SessionStoreError``
    func remove() throws
}

/// What the keychain answered instead of success.
public struct SessionStoreError: LocalizedError, Equatable {
    /// One of the `errSec…` codes.
    public let status: OSStatus

    /// Whether the same may succeed later without anybody signing in: the device is locked, or was not unlocked yet.
    public var passes: Bool { status == errSecInteractionNotAllowed }

    /// The keychain's own text, and the code to look it up by.
    public var errorDescription: String? {
        let text = SecCopyErrorMessageString(status, nil) as String? ?? "Unknown error."
        return "\(text) (\(status))"
    }
}
