// SPDX-License-Identifier: Apache-2.0

/// What systemd's login manager tells about users and the host (`org.freedesktop.login1(5)`).
public enum LoginEvent: Sendable, Hashable {
    /// A session of a user was locked, by `loginctl lock-session` or by a screen lock that says so.
    ///
    /// The user is `nil` where the session was gone before it could be asked whose it was.
    case locked(user: UInt32?)
    /// A session of a user was unlocked.
    case unlocked(user: UInt32?)
    /// The last session of a user has ended.
    case loggedOut(user: UInt32)
    /// The host is about to sleep; it waits until this has been dealt with, for five seconds by default
    /// (`logind.conf(5)`, `InhibitDelayMaxSec=`).
    case goingToSleep
    /// The host has woken up.
    case wokeUp

    /// Whether what a user has unlocked is to be locked now.
    public func locks(_ user: UInt32) -> Bool {
        switch self {
        // Whose session it was is not known: locking too much costs a passcode, locking too little a secret.
        case .locked(nil), .goingToSleep: true
        case .locked(let locked?): locked == user
        case .loggedOut(let gone): gone == user
        case .unlocked, .wokeUp: false
        }
    }
}
