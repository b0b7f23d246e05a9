// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A key of a terminal.
enum BrowseKey: Hashable {
    /// A character that was typed.
    case text(String)
    /// Control with a letter, in lower case.
    case control(Character)
    case up
    case down
    case pageUp
    case pageDown
    case home
    case end
    case enter
    case escape
    case backspace
}

/// What the bytes that a terminal sends mean (xterm, "Control Sequences").
struct BrowseKeys {
    private var pending: [UInt8] = []

    /// Whether more bytes may belong to the last key: an escape alone is a key, too.
    var isIncomplete: Bool { !pending.isEmpty }

    /// The longest sequence that is waited for.
    private static let longest = 32

    /// The keys that are complete with some bytes.
    mutating func keys(in bytes: [UInt8]) -> [BrowseKey] {
        pending += bytes
        var keys: [BrowseKey] = []
        while !pending.isEmpty {
            guard let (key, count) = Self.first(in: pending) else {
                if pending.count > Self.longest { pending = [] }
                break
            }
            pending.removeFirst(count)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// The keys if nothing follows for a while.
    mutating func keysAtPause() -> [BrowseKey] {
        defer { pending = [] }
        return pending == [escape] ? [.escape] : []
    }

    private static let sequences: [String: BrowseKey] = [
        "A": .up, "B": .down, "H": .home, "F": .end, "1~": .home, "7~": .home, "4~": .end, "8~": .end, "5~": .pageUp,
        "6~": .pageDown,
    ]

    /// The first key, `nil` if it has no meaning here, and how many bytes it is; `nil` if it is incomplete.
    private static func first(in bytes: [UInt8]) -> (key: BrowseKey?, count: Int)? {
        switch bytes[0] {
        case escape: return sequence(in: bytes)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x01...0x1A: return (.control(Character(Unicode.Scalar(bytes[0] + 0x60))), 1)
        case 0..<0x20: return (nil, 1)
        default: return character(in: bytes)
        }
    }

    private static func sequence(in bytes: [UInt8]) -> (key: BrowseKey?, count: Int)? {
        guard bytes.count > 1 else { return nil }
        guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else {
            // Escape and another key, or Alt with it.
            return bytes[1] == escape ? (.escape, 1) : (nil, 2)
        }
        guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        return (sequences[String(decoding: bytes[2...end], as: UTF8.self)], end + 1)
    }

    private static func character(in bytes: [UInt8]) -> (key: BrowseKey?, count: Int)? {
        let length =
            switch bytes[0] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        guard bytes.count >= length else { return nil }
        guard let text = String(validating: bytes[..<length], as: UTF8.self) else { return (nil, 1) }
        return (text.unicodeScalars.contains(where: \.isInvisible) ? nil : .text(text), length)
    }
}

private let escape: UInt8 = 0x1B
