// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainServer

/// Decides which programs of a message bus may use the service, and what they may access.
package protocol BusAdmission: Sendable {
    /// Identifies a program of the bus, once for each of its connections that it lets in; may take as long as a file
    /// system.
    ///
    /// - Parameter caller: what the bus says of the connection.
    /// - Returns: The program.
    /// - Throws: ``KeychainError`` if it may not use the service.
    func admit(_ caller: BusCaller) throws(KeychainError) -> any ConnectedPeer
}

/// What a bus says of one of its connections (D-Bus Specification, `GetConnectionCredentials`).
package struct BusCaller: Sendable {
    /// The user as whom it connected.
    package let user: UInt32

    /// The number of the process that connected, which may have ended since.
    package let process: Int32

    /// The process itself; `nil` for a bus that gives its number only.
    package let descriptor: ProcessDescriptor?

    /// When the connection was there already, in clock ticks since boot; `nil` for one that is older than the
    /// service's own.
    ///
    /// A process that was started later is another one with the same number.
    package let connectedBefore: UInt64?

    /// A caller.
    package init(
        user: UInt32,
        process: Int32,
        descriptor: ProcessDescriptor?,
        connectedBefore: UInt64?
    ) {
        self.user = user
        self.process = process
        self.descriptor = descriptor
        self.connectedBefore = connectedBefore
    }
}

/// A descriptor of a process (pidfd_open(2)), closed with the object.
package final class ProcessDescriptor: Sendable {
    /// Its number.
    package let number: Int32

    /// A copy of a descriptor; `nil` if there is no room for one.
    package init?(copying other: Int32) {
        number = fcntl(other, F_DUPFD_CLOEXEC, 3)
        if number < 0 { return nil }
    }

    deinit { close(number) }
}
