// SPDX-License-Identifier: Apache-2.0

import KeychainHost
import KeychainWire

/// The timeouts and limits of a client of the daemon.
package struct ClientOptions: Sendable, Hashable {
    /// The timeout without a message of the daemon, which reports every few seconds that it is working; 15 seconds.
    package var silenceMilliseconds: Int32 = 15_000
    /// How long to wait for the next daemon after one said goodbye, or was connected before; 5 seconds.
    package var returnMilliseconds: Int32 = 5_000
    /// The time before a subscription retries a daemon that does not respond, or has reached a limit; 30 seconds.
    package var retryMilliseconds: Int32 = 30_000
    /// How long a cancelled prompt may take to disappear before its thread is abandoned; 3 seconds.
    package var promptEndMilliseconds: Int32 = 3_000
    /// The maximum number of concurrent commands; further ones wait; 8.
    package var maximumConnections = 8
    /// The maximum number of idle connections; 4.
    package var maximumIdleConnections = 4
    /// For how long the result of whether a user could type here is cached; one second.
    package var authenticatorMilliseconds: Int32 = 1_000

    /// The versions of the protocol that the client supports.
    package var versions = ProtocolVersion.supported

    /// The folder that the daemon has to serve: one that serves another one is sent nothing; `nil` for any.
    package var servedFolder: String?

    /// The clock of the timeouts.
    package var clock = TimeoutClock.system

    /// The default options.
    package init() {}

    /// So many milliseconds from now, by the clock of the timeouts.
    func deadline(milliseconds: Int32) -> Deadline { Deadline(milliseconds: milliseconds, by: clock) }

    /// When a daemon that says nothing from now on is given up.
    var silence: Deadline { deadline(milliseconds: silenceMilliseconds) }
}
