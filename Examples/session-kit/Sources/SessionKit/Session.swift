// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a person is signed in by.
public struct Session: Codable, Equatable, Sendable {
    /// Whose session it is.
    public var user: String

    /// What requests carry.
    public var accessToken: String

    /// What a new access token is asked for with; each one is good once.
    public var refreshToken: String

    /// When the access token ends.
    public var expires: Date

    /// A session.
    public init(user: String, accessToken: String, refreshToken: String, expires: Date) {
        self.user = user
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expires = expires
    }
}
