// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The keys of a store without a passcode, by Documentation/Format.md, "Keys".
struct FormerKeys {
    let identifier: [UInt8]
    /// By purpose (1 class key, 2 metadata key, 3 index key) and class.
    private var keys: [String: [UInt8]] = [:]

    init(keybag: [UInt8], rootKey: [UInt8]) throws {
        var reader = FormerReader(keybag.dropLast(32))
        guard try reader.bytes(4) == Array("SKKB".utf8), try reader.number(2) >> 8 == 2 else {
            throw FormerError("the keybag has another version")
        }
        identifier = try reader.bytes(16)
        // Owner, kind of the root key, generations.
        _ = try reader.bytes(10)
        var wrapped: [UInt8]?
        for _ in 0..<(try reader.number(1)) {
            let (kind, content) = (try reader.number(1), try reader.bytes(Int(try reader.number(2))))
            guard kind == 1 else { throw FormerError("the keychain has a passcode, or a slot of another kind") }
            wrapped = content
        }
        guard let wrapped else { throw FormerError("the keybag has no slot") }
        let slotKey = try Self.unwrap(wrapped, Self.derive("root key wrapping", of: rootKey, identifier))
        let code = Self.derive("keybag authentication", of: slotKey, identifier)
        guard Self.mac(code, Array(keybag.dropLast(32))) == Array(keybag.suffix(32)) else {
            throw FormerError("the keybag is damaged")
        }
        for _ in 0..<(try reader.number(1)) {
            let purpose = UInt8(try reader.number(1))
            let name = try reader.bytes(Int(try reader.number(1)))
            let slot = try reader.number(1)
            let generation = try reader.bytes(4)
            let entry = try reader.bytes(40)
            guard slot == 1 else { throw FormerError("a key is in another slot") }
            let context = identifier + [purpose, UInt8(name.count)] + name + generation
            let key = try Self.unwrap(entry, Self.derive("keybag wrapping", of: slotKey, context))
            keys["\(purpose)\(String(decoding: name, as: UTF8.self))"] = key
        }
    }

    func key(_ purpose: Int, _ name: String) throws -> [UInt8] {
        guard let key = keys["\(purpose)\(name)"] else { throw FormerError("there is no key of the class \(name)") }
        return key
    }

    // MARK: - Constructions

    static func mac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    static func derive(_ label: String, of key: [UInt8], _ context: [UInt8], format: Int = 2) -> [UInt8] {
        mac(key, Array("swift-keychain \(format) \(label)".utf8) + [0] + context + [1])
    }

    private static func unwrap(_ wrapped: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        let key = try AES.KeyWrap.unwrap(wrapped, using: SymmetricKey(data: key))
        return key.withUnsafeBytes { Array($0) }
    }

    static func seal(_ bytes: [UInt8], _ key: [UInt8], authenticating associated: [UInt8]) throws -> [UInt8] {
        let sealed = try AES.GCM.seal(bytes, using: SymmetricKey(data: key), authenticating: associated)
        return Array(sealed.nonce) + Array(sealed.ciphertext) + Array(sealed.tag)
    }

    static func open(_ sealed: [UInt8], _ key: [UInt8], authenticating associated: [UInt8]) throws -> [UInt8] {
        guard sealed.count >= 28 else { throw FormerError("a row is damaged") }
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: sealed.prefix(12)),
            ciphertext: sealed.dropFirst(12).dropLast(16),
            tag: sealed.suffix(16)
        )
        return Array(try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: associated))
    }
}

/// Why the program fails, in words.
struct FormerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Little-endian numbers and bytes, one after the other.
struct FormerReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    mutating func bytes(_ count: Int) throws -> [UInt8] {
        guard count >= 0, count <= rest.count else { throw FormerError("bytes are missing") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func number(_ count: Int) throws -> UInt64 {
        try bytes(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// A number in little-endian bytes.
func littleEndian(_ number: UInt64, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(number >> (8 * $0) & 0xFF) } }
