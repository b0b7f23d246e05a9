// SPDX-License-Identifier: Apache-2.0

/// An event of systemd's login manager (`org.freedesktop.login1(5)`).
package enum LoginEvent: Sendable, Hashable {
    /// A session of a user was locked, by `loginctl lock-session` or by a screen lock that reports it.
    ///
    /// The user is `nil` if the session ended before its user was known. A user's own daemon locks then; the system
    /// service does not, because one user could lock the keychains of all.
    case locked(user: UInt32?)
    /// A session of a user was unlocked.
    case unlocked(user: UInt32?)
    /// The last session of a user has ended.
    case loggedOut(user: UInt32)
    /// The host is about to sleep; it waits until this has been handled, for five seconds by default
    /// (`logind.conf(5)`, `InhibitDelayMaxSec=`).
    case goingToSleep
    /// The host has woken up.
    case wokeUp

    /// Whether a user's keychain has to be locked now.
    package func locks(_ user: UInt32) -> Bool {
        switch self {
        // The session's user is not known: locking too much costs a passcode, locking too little a secret.
        case .locked(nil), .goingToSleep: true
        case .locked(let locked?): locked == user
        case .loggedOut(let gone): gone == user
        case .unlocked, .wokeUp: false
        }
    }
}
