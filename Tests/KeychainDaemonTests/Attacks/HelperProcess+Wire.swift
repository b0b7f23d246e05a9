// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainWire
import ServerTestSupport

/// `signed-program`, which speaks the daemon's protocol byte by byte, as a test has it do.
extension HelperProcess {
    /// Sends bytes on its connection.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - command: its command for that: `transmit`, which passes a descriptor with them as programs do with their
    ///     first message, or `copy`, which does not.
    /// - Returns: Whether that was possible.
    /// - Throws: ``Failure`` if the program does not answer.
    @discardableResult
    func transmit(_ bytes: [UInt8], by command: String = "transmit") throws -> Bool {
        try ask("\(command) \(Self.digits(bytes))") == "sent"
    }

    /// Receives so many bytes from its connection; fewer when the daemon ends that.
    func receive(_ count: Int) throws -> [UInt8] {
        var digits = Array(try ask("receive \(count)").utf8)[...]
        var bytes: [UInt8] = []
        while digits.count >= 2 {
            guard let byte = UInt8(String(decoding: digits.prefix(2), as: UTF8.self), radix: 16) else { break }
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    /// The next frame on its connection; `nil` when the daemon ends that.
    func frame() throws -> [UInt8]? {
        let header = try receive(WireMessage.headerByteCount)
        guard header.count == WireMessage.headerByteCount else { return nil }
        let count = try header.withUnsafeBytes { try WireMessage.bodyLength($0) }
        return header + (try receive(count))
    }

    /// The next message on its connection; `nil` when the daemon ends that.
    func message() throws -> WireMessage? {
        guard let frame = try frame() else { return nil }
        return try WireMessage(SecretBytes(frame))
    }

    /// Bytes as the program takes them: two digits each.
    static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
