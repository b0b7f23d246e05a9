// SPDX-License-Identifier: Apache-2.0

import Keychain

/// Who is logged in, and by which token: one value in one item, so that the two cannot be of different people.
public struct Login: Codable, KeychainStorable, Equatable, Sendable {
    /// The user's name.
    public var user: String

    /// What the service gave them.
    public var token: String

    /// A login.
    public init(user: String, token: String) {
        self.user = user
        self.token = token
    }
}
