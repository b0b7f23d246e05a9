// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lockbox

/// Whether somebody is signed in to the journal.
public final class Account {
    private let lockbox: Lockbox

    /// The account of this device.
    public init(lockbox: Lockbox = .standard) { self.lockbox = lockbox }

    /// Keeps the token of a sign-in.
    public func signIn(token: String) throws { try lockbox.set(token, key: "token") }

    /// The token, if somebody is signed in.
    public func token() throws -> String? { try lockbox.string("token") }

    /// Whether somebody is signed in, for a screen that shows it.
    ///
    /// The wrapper's subscript cannot tell "cannot be read now" from "is not there".
    public var isSignedIn: Bool { lockbox["token"] != nil }

    /// Forgets everything.
    public func signOut() throws { try lockbox.removeAll() }

    /// What the first page says.
    public static func welcome() throws -> String {
        guard let url = Bundle.module.url(forResource: "welcome", withExtension: "txt") else { return "" }
        return try String(contentsOf: url, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
