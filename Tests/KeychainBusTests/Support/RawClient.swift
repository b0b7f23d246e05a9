// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainBus

/// A program on a bus that writes the bytes of its messages itself.
final class RawClient {
    /// What does not come.
    enum Failure: Error {
        case notConnected(Int32)
        case ended
        case refused(String)
    }

    let socket: Int32
    private(set) var name = ""
    private var received: [UInt8] = []
    private var waiting: [BusFrame] = []
    private var serial: UInt32 = 0

    /// Connects, and sends nothing.
    init(connectingTo path: String) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let failure = keychain_connect(socket, path)
        guard failure == 0 else {
            close(socket)
            throw Failure.notConnected(failure)
        }
    }

    init(taking socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    // MARK: Bytes

    /// Sends bytes; those that the bus does not take any more are lost.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { keychain_send(socket, $0.baseAddress, $0.count) }
            if sent >= 0 {
                rest = rest.dropFirst(sent)
            } else if errno != EAGAIN || keychain_wait(socket, Int32(KEYCHAIN_WRITABLE), 60_000) <= 0 {
                return
            }
        }
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// What comes from the bus next.
    private enum Arrival {
        case bytes
        case end
        /// Nothing for a minute.
        case silence
    }

    private func nextArrival() -> Arrival {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        guard keychain_wait(socket, Int32(KEYCHAIN_READABLE), 60_000) > 0 else { return .silence }
        let count = keychain_receive(socket, &bytes, bytes.count)
        if count < 0, errno == EAGAIN { return .bytes }
        guard count > 0 else { return .end }
        received += bytes.prefix(count)
        return .bytes
    }

    /// Waits for more bytes; `false` if none come.
    private func receive() -> Bool { nextArrival() == .bytes }

    /// Whether the bus ends the connection.
    var isEnded: Bool {
        while true {
            switch nextArrival() {
            case .bytes: continue
            case .end: return true
            case .silence: return false
            }
        }
    }

    func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end].filter { $0 != 0x0D }, as: UTF8.self)
            }
            guard receive() else { throw Failure.ended }
        }
    }

    // MARK: Messages

    /// Authenticates without saying Hello.
    func authenticate() throws {
        write("\0AUTH EXTERNAL\r\nDATA\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n")
        for _ in 0..<3 { _ = try line() }
    }

    /// Authenticates, and says Hello.
    func begin() throws {
        try authenticate()
        name = try text(callDriver("Hello"))
    }

    func nextSerial() -> UInt32 {
        serial += 1
        return serial
    }

    /// A call, to be changed and sent.
    func makeCall(_ member: String, on destination: String? = BusNames.driver) -> BusHeader {
        var header = BusHeader(.methodCall, serial: nextSerial())
        (header.path, header.member, header.destination) = ("/org/example", member, destination)
        return header
    }

    func send(_ header: BusHeader, _ body: [UInt8] = []) {
        write(header.encoded(bodyByteCount: body.count) + body)
    }

    /// Calls a method, and waits for the reply.
    func call(_ header: BusHeader, _ body: [UInt8] = []) throws -> BusFrame {
        send(header, body)
        return try reply(to: header.serial)
    }

    /// Calls a method of the bus with texts, and a number behind them.
    func callDriver(_ member: String, _ texts: [String] = [], number: UInt32? = nil) throws -> BusFrame {
        var header = makeCall(member)
        var writer = BusValueWriter()
        for text in texts { writer.append(text) }
        if let number { writer.append(number) }
        header.signature = String(repeating: "s", count: texts.count) + (number == nil ? "" : "u")
        return try call(header, writer.bytes)
    }

    func reply(to serial: UInt32) throws -> BusFrame {
        try next { $0.header.replySerial == serial }
    }

    /// The next message of a kind; others wait for their turn.
    func next(where isWanted: (BusFrame) -> Bool = { _ in true }) throws -> BusFrame {
        while true {
            if let index = waiting.firstIndex(where: isWanted) { return waiting.remove(at: index) }
            try parse()
            if waiting.contains(where: isWanted) { continue }
            guard receive() else { throw Failure.ended }
        }
    }

    private func parse() throws {
        while !received.isEmpty {
            var reader = BusFrameReader(atMost: BusFrame.mostBytes)
            let (taken, frame) = try received.withUnsafeBytes { try reader.append($0) }
            guard let frame else { return }
            received.removeFirst(taken)
            waiting.append(frame)
        }
    }

    // MARK: Values

    /// The text in a reply.
    func text(_ frame: BusFrame) throws -> String {
        if let error = frame.header.errorName { throw Failure.refused(error) }
        return try frame.texts()[0]
    }

    /// The number in a reply.
    func number(_ frame: BusFrame) throws -> UInt32 {
        if let error = frame.header.errorName { throw Failure.refused(error) }
        return try frame.read { (reader) throws(BusFailure) in try reader.number() }
    }
}

extension BusFrame {
    /// The texts of a body of nothing else, or of one array of them.
    func texts() throws -> [String] {
        try read { (reader) throws(BusFailure) in
            if header.signature == "as" { _ = try reader.number() }
            var texts: [String] = []
            while !reader.isAtEnd { texts.append(String(decoding: try reader.text(), as: UTF8.self)) }
            return texts
        }
    }

    /// The name of the error, without what all begin with.
    var error: String? { header.errorName?.split(separator: ".").last.map(String.init) }
}
