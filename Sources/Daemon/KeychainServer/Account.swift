// SPDX-License-Identifier: Apache-2.0

/// Who has the limits of one user: a user, or all whose accounts are not known yet (``Admission/isKnown(_:)``).
enum Account: Sendable, Hashable {
    /// A user.
    case user(UInt32)
    /// All users who were not admitted yet, also those who are going to be refused.
    case unknown

    /// Whose limit it is, for messages.
    var owner: String {
        switch self {
        case .user: "this user"
        case .unknown: "users whose accounts it has not looked up yet"
        }
    }

    /// Whose limits apply to the closing of a process's socket that is refused.
    func share(of process: Int32) -> ConnectedProcess.Share {
        switch self {
        case .user(let user): .init(process, as: user)
        case .unknown: .init(process, as: Self.nobody)
        }
    }

    /// A number that is no user's (setresuid(2)).
    private static let nobody = UInt32.max
}
