// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// A connection to a message bus, for one thread (`sd-bus(3)`), which also has to release its messages.
package final class Bus {
    private let handle: OpaquePointer

    /// The name of the bus itself.
    package static let driver = "org.freedesktop.DBus"
    private static let driverPath = "/org/freedesktop/DBus"

    /// How long a call waits for its reply: a service that does not reply must not keep the daemon from stopping.
    package var callTimeoutMicroseconds: UInt64 = 5_000_000

    /// Connects to the system bus, or the one that `DBUS_SYSTEM_BUS_ADDRESS` names.
    package convenience init() throws(BusError) {
        var handle: OpaquePointer?
        try BusError.check(sd_bus_open_system(&handle))
        try self.init(taking: handle)
    }

    /// Connects to the bus at an address (D-Bus Specification, "Server Addresses").
    ///
    /// - Parameters:
    ///   - address: the address.
    ///   - takesDescriptors: whether programs may pass descriptors: otherwise the bus refuses such messages of theirs.
    /// - Throws: ``BusError``.
    package convenience init(address: String, takesDescriptors: Bool = true) throws(BusError) {
        var handle: OpaquePointer?
        try BusError.check(sd_bus_new(&handle))
        try self.init(taking: handle)
        try BusError.check(sd_bus_set_address(self.handle, address))
        try BusError.check(sd_bus_negotiate_fds(self.handle, takesDescriptors ? 1 : 0))
        try BusError.check(sd_bus_set_bus_client(self.handle, 1))
        try BusError.check(sd_bus_start(self.handle))
    }

    /// Connects to the bus of the user's session, or the one that `DBUS_SESSION_BUS_ADDRESS` names.
    package static func ofSession(takesDescriptors: Bool = true) throws(BusError) -> Bus {
        var handle: OpaquePointer?
        try BusError.check(sd_bus_open_user(&handle))
        let bus = try Bus(taking: handle)
        guard !takesDescriptors else { return bus }
        // It is connected already.
        var address: UnsafePointer<CChar>?
        try BusError.check(sd_bus_get_address(bus.handle, &address))
        guard let address else { throw BusError(-ENOTCONN) }
        return try Bus(address: String(cString: address), takesDescriptors: false)
    }

    /// Connects to the bus at the other end of a socket, which is closed with the object, also if this fails.
    package convenience init(taking socket: Int32, takesDescriptors: Bool = true) throws(BusError) {
        var handle: OpaquePointer?
        var isTaken = false
        defer { if !isTaken { close(socket) } }
        try BusError.check(sd_bus_new(&handle))
        try self.init(taking: handle)
        try BusError.check(sd_bus_set_fd(self.handle, socket, socket))
        isTaken = true
        try BusError.check(sd_bus_negotiate_fds(self.handle, takesDescriptors ? 1 : 0))
        try BusError.check(sd_bus_set_bus_client(self.handle, 1))
        try BusError.check(sd_bus_start(self.handle))
    }

    private init(taking handle: OpaquePointer?) throws(BusError) {
        guard let handle else { throw BusError(-ENOTCONN) }
        self.handle = handle
    }

    deinit { sd_bus_flush_close_unref(handle) }

    /// Calls a method, and waits for the reply.
    package func call(
        on service: String,
        at path: String,
        interface: String,
        method: String,
        _ arguments: (borrowing BusMessage) throws(BusError) -> Void = { (_) throws(BusError) in }
    ) throws(BusError) -> BusMessage {
        let call = try methodCall(on: service, at: path, interface: interface, method: method)
        try arguments(call)
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let result = sd_bus_call(handle, call.handle, callTimeoutMicroseconds, &error, &reply)
        guard result >= 0, let reply else {
            throw BusError(result < 0 ? result : -EIO, name: error.name.map { String(cString: $0) })
        }
        return BusMessage(reply)
    }

    /// A call of a method, to be filled and sent.
    package func methodCall(
        on service: String,
        at path: String,
        interface: String,
        method: String
    ) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_method_call(handle, &made, service, path, interface, method))
        guard let made else { throw BusError(-ENOMEM) }
        return BusMessage(made)
    }

    /// A call of a method of the bus itself, to be filled and sent.
    package func driverCall(
        _ method: String,
        of interface: String = Bus.driver
    ) throws(BusError) -> BusMessage {
        try methodCall(on: Self.driver, at: Self.driverPath, interface: interface, method: method)
    }

    /// Calls a method of the bus itself with one text.
    package func callDriver(_ method: String, _ argument: String) throws(BusError) -> BusMessage {
        try call(on: Self.driver, at: Self.driverPath, interface: Self.driver, method: method) {
            (call) throws(BusError) in
            try call.append(argument)
        }
    }

    /// Asks the bus for a name, for which it puts this connection into a queue if another one has it.
    ///
    /// - Returns: Whether this connection has the name now.
    package func requestName(_ name: String) throws(BusError) -> Bool {
        let reply = try call(on: Self.driver, at: Self.driverPath, interface: Self.driver, method: "RequestName") {
            (call) throws(BusError) in
            try call.append(name)
            try call.append(UInt32(0))
        }
        guard let result = reply.uint32() else { throw BusError(-EBADMSG) }
        // Another one waits (2); it owns the name (1), and did so before (4).
        return result == 1 || result == 4
    }

    /// Sends a message, on the connection that it was created for.
    package func send(_ message: borrowing BusMessage) throws(BusError) {
        try BusError.check(sd_bus_send(sd_bus_message_get_bus(message.handle), message.handle, nil))
    }

    /// Sends a message to one connection only, also a signal.
    package func send(_ message: borrowing BusMessage, to destination: String) throws(BusError) {
        try BusError.check(sd_bus_send_to(handle, message.handle, destination, nil))
    }

    /// Sends a call of a method, whose reply comes as a message (``next()``).
    ///
    /// - Returns: The number that the reply names (``BusMessage/replyNumber``).
    package func sendCall(_ message: borrowing BusMessage) throws(BusError) -> UInt64 {
        var number: UInt64 = 0
        try BusError.check(sd_bus_send(handle, message.handle, &number))
        return number
    }

    /// A signal, to be filled and sent.
    package func signal(at path: String, interface: String, member: String) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_signal(handle, &made, path, interface, member))
        guard let made else { throw BusError(-ENOMEM) }
        return BusMessage(made)
    }

    /// What is necessary to answer a call: the same number and sender, without its arguments.
    package func withoutArguments(_ call: borrowing BusMessage) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        let bus = sd_bus_message_get_bus(call.handle)
        try BusError.check(sd_bus_message_new_method_call(bus, &made, nil, "/", nil, "A"))
        guard let made else { throw BusError(-ENOMEM) }
        let stub = BusMessage(made)
        var number: UInt64 = 0
        try BusError.check(sd_bus_message_get_cookie(call.handle, &number))
        try BusError.check(sd_bus_message_set_sender(made, call.sender))
        try BusError.check(sd_bus_message_set_expect_reply(made, call.expectsReply ? 1 : 0))
        try BusError.check(sd_bus_message_seal(made, number, 0))
        return stub
    }

    /// The answer to a call, to be filled and sent.
    package func answer(to call: borrowing BusMessage) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_method_return(call.handle, &made))
        guard let made else { throw BusError(-ENOMEM) }
        return BusMessage(made)
    }

    /// The refusal of a call, by the name of an error and a text for people; to be sent.
    package func refusal(
        of call: borrowing BusMessage,
        _ name: String,
        text: String? = nil
    ) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        let result = name.withCString { name in
            (text ?? String(cString: name)).withCString { text in
                var error = sd_bus_error(name: name, message: text, _need_free: 0)
                return sd_bus_message_new_method_error(call.handle, &made, &error)
            }
        }
        try BusError.check(result)
        guard let made else { throw BusError(-ENOMEM) }
        return BusMessage(made)
    }

    /// Reads, and returns the next message that is not a reply to a call; `nil` if there is nothing to read now.
    package func next() throws(BusError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let result = try BusError.check(sd_bus_process(handle, &message))
            if let message { return BusMessage(message) }
            if result == 0 { return nil }
        }
    }

    /// Waits until there is work on the connection, or on a second one, or data to read from another descriptor.
    ///
    /// - Parameters:
    ///   - other: the other descriptor.
    ///   - second: another connection.
    ///   - longest: the time in milliseconds after which it returns in any case; -1 for no limit.
    /// - Returns: Whether the other descriptor can be read.
    /// - Throws: ``BusError`` if the connection is at its end.
    package func wait(
        or other: Int32,
        beside second: Bus? = nil,
        atMost longest: Int32 = -1
    ) throws(BusError) -> Bool {
        var descriptors = [pollfd(fd: other, events: Int16(POLLIN), revents: 0), try entry]
        var limits = [longest, try waitMilliseconds]
        // One that is at its end says so when it is read.
        if let second {
            descriptors.append((try? second.entry) ?? pollfd(fd: -1, events: 0, revents: 0))
            limits.append((try? second.waitMilliseconds) ?? 0)
        }
        let result = poll(&descriptors, nfds_t(descriptors.count), limits.filter { $0 >= 0 }.min() ?? -1)
        guard result >= 0 || errno == EINTR else { throw BusError(-errno) }
        return result > 0 && descriptors[0].revents != 0
    }

    private var entry: pollfd {
        get throws(BusError) {
            let events = try BusError.check(sd_bus_get_events(handle))
            return pollfd(
                fd: try BusError.check(sd_bus_get_fd(handle)),
                events: Int16(truncatingIfNeeded: events),
                revents: 0
            )
        }
    }

    private var waitMilliseconds: Int32 {
        get throws(BusError) {
            var timeout = UInt64.max
            try BusError.check(sd_bus_get_timeout(handle, &timeout))
            return Self.milliseconds(until: timeout)
        }
    }

    /// The time until a time of the monotonic clock in microseconds, rounded up; -1 for no limit.
    private static func milliseconds(until time: UInt64) -> Int32 {
        guard time != .max else { return -1 }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
        guard time > microseconds else { return 0 }
        return Int32(clamping: (time - microseconds + 999) / 1_000)
    }
}
