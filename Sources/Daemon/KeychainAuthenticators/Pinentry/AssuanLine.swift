// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A line that a server sends in the Assuan protocol (the manual of libassuan, "Server responses").
enum AssuanLine: Sendable, Hashable {
    /// A request succeeded.
    case ok
    /// A request failed, with a code of libgpg-error.
    case error(UInt32)
    /// A part of the answer.
    case data(SecretBytes)
    /// Something on the way, by its keyword.
    case status(String)
    /// Nothing of interest.
    case comment
    /// A question of the server's.
    case inquiry

    /// The most bytes that a line may have, the newline left out.
    static let longest = 1000

    /// Parses a line without its newline; `nil` if it violates the protocol.
    init?(_ line: UnsafeRawBufferPointer) {
        let line = line.last == UInt8(ascii: "\r") ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
        guard line.count <= Self.longest else { return nil }
        if line.isEmpty || line.first == UInt8(ascii: "#") {
            self = .comment
            return
        }
        let word = line.prefix { $0 != UInt8(ascii: " ") }
        let rest = UnsafeRawBufferPointer(rebasing: line[min(word.endIndex + 1, line.endIndex)...])
        // Decodes no more than the length of a keyword, because any line may hold a part of a secret.
        switch word.count <= 7 ? String(decoding: word, as: UTF8.self) : "" {
        case "OK": self = .ok
        case "ERR":
            guard let code = UInt32(Self.firstWord(of: rest)) else { return nil }
            self = .error(code)
        case "D":
            guard let data = Self.decoded(rest) else { return nil }
            self = .data(data)
        case "S": self = .status(Self.firstWord(of: rest))
        case "INQUIRE": self = .inquiry
        default: return nil
        }
    }

    /// A request, with a newline; what does not fit into a line is left out of its argument.
    static func request(_ command: String, _ argument: String? = nil) -> [UInt8] {
        var line = Array(command.utf8)
        if let argument {
            line.append(UInt8(ascii: " "))
            for character in argument {
                let escaped = character.utf8.flatMap(escaped)
                guard line.count + escaped.count <= longest else { break }
                line += escaped
            }
        }
        return line + [UInt8(ascii: "\n")]
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        guard byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") else { return [byte] }
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Replaces `%` and two hexadecimal digits by the byte that they name.
    private static func decoded(_ data: UnsafeRawBufferPointer) -> SecretBytes? {
        var buffer = SecretBuffer(capacity: data.count)
        var rest = data[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                buffer.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                return nil
            }
            buffer.append(high << 4 | low)
        }
        return buffer.bytes
    }

    private static func firstWord(of text: UnsafeRawBufferPointer) -> String {
        String(decoding: text.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }
}
