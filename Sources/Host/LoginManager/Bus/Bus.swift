// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// A connection to a message bus, for one thread (`sd-bus(3)`).
final class Bus {
    private let handle: OpaquePointer

    static let driver = "org.freedesktop.DBus"
    private static let driverPath = "/org/freedesktop/DBus"

    // A login manager that does not reply must not keep the daemon from stopping.
    private static let callTimeoutMicroseconds: UInt64 = 5_000_000

    /// Connects to the system bus, or the one that `DBUS_SYSTEM_BUS_ADDRESS` names.
    convenience init() throws(BusError) {
        var handle: OpaquePointer?
        try BusError.check(sd_bus_open_system(&handle))
        try self.init(taking: handle)
    }

    /// Connects to the bus at an address (D-Bus Specification, "Server Addresses").
    convenience init(address: String) throws(BusError) {
        var handle: OpaquePointer?
        try BusError.check(sd_bus_new(&handle))
        try self.init(taking: handle)
        try BusError.check(sd_bus_set_address(self.handle, address))
        try BusError.check(sd_bus_set_bus_client(self.handle, 1))
        try BusError.check(sd_bus_start(self.handle))
    }

    private init(taking handle: OpaquePointer?) throws(BusError) {
        guard let handle else { throw BusError(-ENOTCONN) }
        self.handle = handle
    }

    deinit { sd_bus_flush_close_unref(handle) }

    /// Calls a method, and waits for the reply.
    func call(
        on service: String,
        at path: String,
        interface: String,
        method: String,
        _ arguments: (borrowing BusMessage) throws(BusError) -> Void = { (_) throws(BusError) in }
    ) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_method_call(handle, &made, service, path, interface, method))
        guard let made else { throw BusError(-ENOMEM) }
        let call = BusMessage(made)
        try arguments(call)
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let result = sd_bus_call(handle, call.handle, Self.callTimeoutMicroseconds, &error, &reply)
        guard result >= 0, let reply else {
            throw BusError(result < 0 ? result : -EIO, name: error.name.map { String(cString: $0) })
        }
        return BusMessage(reply)
    }

    /// Calls a method of the bus itself with one text.
    func callDriver(_ method: String, _ argument: String) throws(BusError) -> BusMessage {
        try call(on: Self.driver, at: Self.driverPath, interface: Self.driver, method: method) {
            (call) throws(BusError) in
            try call.append(argument)
        }
    }

    /// Sends a message that was created for this connection.
    func send(_ message: borrowing BusMessage) throws(BusError) {
        try BusError.check(sd_bus_send(handle, message.handle, nil))
    }

    /// A signal, to be filled and sent.
    func signal(at path: String, interface: String, member: String) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_signal(handle, &made, path, interface, member))
        guard let made else { throw BusError(-ENOMEM) }
        return BusMessage(made)
    }

    /// The answer to a call, to be filled and sent.
    func answer(to call: borrowing BusMessage) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        try BusError.check(sd_bus_message_new_method_return(call.handle, &made))
        guard let made else { throw BusError(-ENOMEM) }
        return BusMessage(made)
    }

    /// The refusal of a call, by the name of an error; to be sent.
    func refusal(of call: borrowing BusMessage, _ name: String) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        let result = name.withCString { name in
            var error = sd_bus_error(name: name, message: name, _need_free: 0)
            return sd_bus_message_new_method_error(call.handle, &made, &error)
        }
        try BusError.check(result)
        guard let made else { throw BusError(-ENOMEM) }
        return BusMessage(made)
    }

    /// Reads, and returns the next message that is not a reply to a call; `nil` if there is nothing to read now.
    func next() throws(BusError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let result = try BusError.check(sd_bus_process(handle, &message))
            if let message { return BusMessage(message) }
            if result == 0 { return nil }
        }
    }

    /// Waits until there is work on the connection, or data to read from another descriptor.
    ///
    /// - Returns: Whether the other descriptor can be read.
    func wait(or other: Int32) throws(BusError) -> Bool {
        var timeout = UInt64.max
        try BusError.check(sd_bus_get_timeout(handle, &timeout))
        var descriptors = [
            pollfd(
                fd: try BusError.check(sd_bus_get_fd(handle)),
                events: Int16(truncatingIfNeeded: try BusError.check(sd_bus_get_events(handle))),
                revents: 0
            ),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        let result = poll(&descriptors, 2, Self.milliseconds(until: timeout))
        guard result >= 0 || errno == EINTR else { throw BusError(-errno) }
        return result > 0 && descriptors[1].revents != 0
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
