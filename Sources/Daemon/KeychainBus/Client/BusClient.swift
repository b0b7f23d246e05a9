// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost
import KeychainWire

/// A connection of a program to a bus, which waits for the reply of each call: for commands that are linked statically,
/// which libsystemd is not.
package final class BusClient {
    private let socket: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    private var filled = 0..<0
    private var reader: BusFrameReader
    private var serial: UInt32 = 0
    /// Signals that came while a reply was awaited.
    private var signals: [BusFrame] = []

    /// The most signals that are kept; further ones are lost.
    private static let mostSignals = 1_024

    /// How long a reply may take: as long as other libraries wait.
    private static let replyMilliseconds: Int32 = 25_000

    /// Connects, and says Hello.
    ///
    /// - Parameter address: the addresses of the bus, as `DBUS_SESSION_BUS_ADDRESS` has them.
    /// - Throws: ``BusClientError/unreachable(_:)``, or what a call throws.
    package init(_ address: String) throws(BusClientError) {
        guard let place = BusAddress(address) else {
            throw .unreachable("the address is none of a socket on this computer")
        }
        socket = keychain_open_private_socket()
        reader = BusFrameReader(atMost: BusFrame.mostBytes)
        guard socket >= 0 else { throw .unreachable(String(cString: strerror(errno))) }
        let failure = place.connect(socket)
        guard failure == 0 else { throw .unreachable(String(cString: strerror(failure))) }
        try authenticate()
        _ = try call("Hello", of: BusNames.driver, at: BusNames.driverPath, on: BusNames.driver)
    }

    deinit {
        keychain_wipe(buffer.baseAddress, buffer.count)
        buffer.deallocate()
        if socket >= 0 { keychain_close_private(socket) }
    }

    // MARK: - Calls

    /// Calls a method, and waits for the reply.
    ///
    /// - Parameters:
    ///   - member: the method.
    ///   - interface: its interface.
    ///   - path: the object.
    ///   - destination: the name of the service.
    ///   - signature: the types of the arguments.
    ///   - arguments: writes them.
    /// - Returns: The reply.
    /// - Throws: ``BusClientError``.
    package func call(
        _ member: String,
        of interface: String,
        at path: String,
        on destination: String,
        signature: String = "",
        _ arguments: (inout BusValueWriter) -> Void = { _ in }
    ) throws(BusClientError) -> BusFrame {
        serial += 1
        var header = BusHeader(.methodCall, serial: serial)
        (header.path, header.interface, header.member) = (path, interface, member)
        (header.destination, header.signature) = (destination, signature)
        var body = BusValueWriter()
        arguments(&body)
        let deadline = Deadline(milliseconds: Self.replyMilliseconds)
        try send(header.encoded(bodyByteCount: body.bytes.count) + body.bytes, until: deadline)
        while true {
            let frame = try next(until: deadline)
            guard frame.header.replySerial == serial else {
                if frame.header.type == .signal, signals.count < Self.mostSignals { signals.append(frame) }
                continue
            }
            if let error = frame.header.errorName { throw .refused(error) }
            return frame
        }
    }

    /// Calls a method of the bus itself with one text.
    package func callDriver(_ member: String, _ argument: String) throws(BusClientError) -> BusFrame {
        try call(member, of: BusNames.driver, at: BusNames.driverPath, on: BusNames.driver, signature: "s") {
            $0.append(argument)
        }
    }

    /// Waits for a signal of an object, which was asked for by a match rule.
    package func signal(
        _ member: String,
        at path: String,
        milliseconds: Int32
    ) throws(BusClientError) -> BusFrame {
        func isWanted(_ frame: BusFrame) -> Bool {
            frame.header.type == .signal && frame.header.member == member && frame.header.path == path
        }
        if let index = signals.firstIndex(where: isWanted) { return signals.remove(at: index) }
        let deadline = Deadline(milliseconds: milliseconds)
        while true {
            let frame = try next(until: deadline)
            if isWanted(frame) { return frame }
        }
    }

    // MARK: - Bytes

    private func authenticate() throws(BusClientError) {
        let deadline = Deadline(milliseconds: Self.replyMilliseconds)
        try send(Array("\0AUTH EXTERNAL \(BusHandshake.response(for: geteuid()))\r\n".utf8), until: deadline)
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            guard line.count <= BusHandshake.longestLine else { throw .unreachable("it is no message bus") }
            if filled.isEmpty { try receive(until: deadline) }
            line.append(buffer[filled.lowerBound])
            filled.removeFirst()
        }
        guard line.starts(with: "OK ".utf8) else { throw .unreachable("it does not let this user in") }
        try send(Array("BEGIN\r\n".utf8), until: deadline)
    }

    private func next(until deadline: Deadline) throws(BusClientError) -> BusFrame {
        while true {
            if filled.isEmpty { try receive(until: deadline) }
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[filled])
            let taken: Int
            let frame: BusFrame?
            do throws(BusFailure) { (taken, frame) = try reader.append(bytes) } catch { throw .unexpected }
            filled = filled.lowerBound + taken..<filled.upperBound
            if let frame { return frame }
        }
    }

    private func receive(until deadline: Deadline) throws(BusClientError) {
        while true {
            let count = keychain_receive(socket, buffer.baseAddress, buffer.count)
            if count > 0 {
                filled = 0..<count
                return
            }
            guard count < 0, errno == EAGAIN else { throw .ended }
            try wait(for: .readable, until: deadline)
        }
    }

    private func send(_ bytes: [UInt8], until deadline: Deadline) throws(BusClientError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { keychain_send(socket, $0.baseAddress, $0.count) }
            if sent >= 0 {
                rest = rest.dropFirst(sent)
            } else {
                guard errno == EAGAIN else { throw .ended }
                try wait(for: .writable, until: deadline)
            }
        }
    }

    private func wait(for event: SocketReadiness, until deadline: Deadline) throws(BusClientError) {
        guard !deadline.isOver else { throw .late }
        let ready = SocketReadiness.wait(for: event, of: socket, milliseconds: deadline.waitMilliseconds)
        guard ready.isSuperset(of: event) || !ready.contains(.ended) else { throw .ended }
    }
}

extension BusFrame {
    /// Reads the values of a body of some types.
    ///
    /// - Throws: ``BusClientError/unexpected`` for a body of other types, or with bytes behind the values.
    package func values<Result>(
        _ signature: String,
        _ values: (inout BusValueReader) throws(BusFailure) -> Result
    ) throws(BusClientError) -> Result {
        guard header.signature == signature else { throw .unexpected }
        do throws(BusFailure) { return try read(values) } catch { throw .unexpected }
    }
}
