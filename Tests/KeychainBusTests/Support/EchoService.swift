// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Dispatch
import Foundation
import Glibc
import Synchronization

/// A service over sd-bus, on a connection to a bus: it sends back what it gets, and a signal with it.
final class EchoService: Sendable {
    private let status = Atomic<Int32>(0)
    private let isStopping = Atomic<Bool>(false)
    private let isOver = DispatchSemaphore(value: 0)

    /// Serves a name on a bus to whose socket it is connected, or at an address.
    init(_ name: String, on socket: Int32? = nil, at address: String? = nil) throws {
        let isReady = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            var bus: OpaquePointer?
            var status = sd_bus_new(&bus)
            if status >= 0 { status = Self.open(bus, on: socket, at: address) }
            if status >= 0 { status = sd_bus_request_name(bus, name, 0) }
            self.status.store(status, ordering: .sequentiallyConsistent)
            isReady.signal()
            while status >= 0, !isStopping.load(ordering: .relaxed) { status = Self.serve(bus) }
            sd_bus_flush_close_unref(bus)
            isOver.signal()
        }
        isReady.wait()
        let status = self.status.load(ordering: .sequentiallyConsistent)
        guard status >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: -status) ?? .EIO) }
    }

    /// Ends it.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        isOver.wait()
    }

    private static func open(_ bus: OpaquePointer?, on socket: Int32?, at address: String?) -> Int32 {
        if let socket { sd_bus_set_fd(bus, socket, socket) }
        if let address { sd_bus_set_address(bus, address) }
        sd_bus_set_bus_client(bus, 1)
        sd_bus_negotiate_fds(bus, 1)
        return sd_bus_start(bus)
    }

    private static func serve(_ bus: OpaquePointer?) -> Int32 {
        var message: OpaquePointer?
        let status = sd_bus_process(bus, &message)
        defer { sd_bus_message_unref(message) }
        guard status >= 0 else { return status }
        if status == 0 { return sd_bus_wait(bus, 100_000) }
        guard let message, sd_bus_message_is_method_call(message, "org.example.Echo", nil) > 0 else { return 0 }
        var reply: OpaquePointer?
        sd_bus_message_new_method_return(message, &reply)
        defer { sd_bus_message_unref(reply) }
        if sd_bus_message_is_method_call(message, nil, "Process") > 0 {
            var credentials: OpaquePointer?
            var process: pid_t = 0
            sd_bus_query_sender_creds(message, UInt64(SD_BUS_CREDS_PID), &credentials)
            sd_bus_creds_get_pid(credentials, &process)
            sd_bus_creds_unref(credentials)
            var number = UInt32(process)
            sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "u")), &number)
        } else {
            var signal: OpaquePointer?
            sd_bus_message_new_signal(bus, &signal, "/org/example", "org.example.Echo", "Echoed")
            sd_bus_message_copy(signal, message, 1)
            sd_bus_send(bus, signal, nil)
            sd_bus_message_unref(signal)
            sd_bus_message_rewind(message, 1)
            sd_bus_message_copy(reply, message, 1)
        }
        return sd_bus_send(bus, reply, nil)
    }
}
