// SPDX-License-Identifier: Apache-2.0

import MessageBus

/// What the bus knows of a connection (D-Bus Specification, `GetConnectionCredentials`).
struct BusCredentials {
    let user: UInt32
    let process: Int32
    /// The process itself; `nil` where the bus, or the kernel, is older than that.
    let descriptor: ProcessDescriptor?

    /// Reads the answer of the bus; `nil` if it does not know the user and the process.
    init?(_ reply: borrowing BusMessage) {
        var user: UInt32?
        var process: Int32?
        var descriptor: ProcessDescriptor?
        guard reply.enter("a", "{sv}") else { return nil }
        while reply.enter("e", "sv") {
            switch (reply.string(), reply.typesOfVariant()) {
            case ("UnixUserID", "u"):
                _ = reply.enter("v", "u")
                user = reply.uint32()
                reply.leave()
            case ("ProcessID", "u"):
                _ = reply.enter("v", "u")
                process = reply.uint32().flatMap { Int32(exactly: $0) }
                reply.leave()
            case ("ProcessFD", "h"):
                _ = reply.enter("v", "h")
                descriptor = reply.descriptor().flatMap { ProcessDescriptor(copying: $0) }
                reply.leave()
            default: guard reply.skip("v") else { return nil }
            }
            reply.leave()
        }
        guard let user, let process, process > 0 else { return nil }
        self.user = user
        self.process = process
        self.descriptor = descriptor
    }
}
