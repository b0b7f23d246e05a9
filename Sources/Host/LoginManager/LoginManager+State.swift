// SPDX-License-Identifier: Apache-2.0

extension LoginManager {
    /// How long a lock of all keychains may take, in milliseconds.
    ///
    /// The login manager delays a suspend by five seconds by default (logind.conf(5), `InhibitDelayMaxSec=`).
    package static let sleepMilliseconds = 4_000

    /// The address of the bus.
    package enum Address: Sendable, Hashable {
        /// The system's, which `DBUS_SYSTEM_BUS_ADDRESS` may name.
        case system
        /// Another, such as a test's (D-Bus Specification, "Server Addresses").
        case other(String)
    }

    /// Whether events can arrive.
    package enum State: Sendable, Hashable {
        /// Not connected yet.
        case starting
        /// Connected to a bus with a login manager.
        case listening
        /// The same, but the login manager does not delay a suspend; the reason in words.
        case listeningWithoutDelay(String)
        /// The same, but the login manager delays a suspend by so many milliseconds at most, which may be too short.
        case listeningWithShortDelay(milliseconds: Int)
        /// Connected to a bus that has no login manager now.
        case noLoginManager
        /// There is no bus, or it does not respond; the reason in words.
        case noBus(String)
    }
}
