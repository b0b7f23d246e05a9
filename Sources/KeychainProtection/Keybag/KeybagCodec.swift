// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The bytes of a keybag (Documentation/Format.md, "Keybag").
enum KeybagCodec {
    private static let magic = Array("SKKB".utf8)
    private static let macByteCount = 32

    /// A keybag as read, not yet believed.
    struct Parsed {
        let keybag: Keybag
        fileprivate let body: ArraySlice<UInt8>
        fileprivate let code: ArraySlice<UInt8>

        /// Whether the HMAC-SHA-256 over everything before it is right.
        func isAuthentic(under key: SymmetricKey) -> Bool {
            HMAC<SHA256>.isValidAuthenticationCode(Array(code), authenticating: body, using: key)
        }
    }

    static func seal(_ keybag: Keybag, authenticationKey: SymmetricKey) -> [UInt8] {
        var bytes = magic
        bytes.append(littleEndian: UInt16(Keybag.version))
        bytes += keybag.storeIdentifier.bytes
        bytes.append(littleEndian: keybag.generation)
        bytes.append(UInt8(keybag.slots.count))
        for slot in keybag.slots {
            bytes.append(slot.kind.rawValue)
            bytes.append(littleEndian: UInt16(slot.wrappedSlotKey.count))
            bytes += slot.wrappedSlotKey
        }
        bytes.append(UInt8(keybag.entries.count))
        for entry in keybag.entries {
            bytes.append(entry.purpose.code)
            bytes.append(UInt8(entry.purpose.className.utf8.count))
            bytes += entry.purpose.className.utf8
            bytes.append(entry.slot.rawValue)
            bytes.append(littleEndian: entry.generation)
            bytes += entry.wrappedKey
        }
        return bytes + Array(HMAC<SHA256>.authenticationCode(for: bytes, using: authenticationKey))
    }

    /// Reads the shape; every length is checked, whatever wrote the bytes.
    static func parse(_ bytes: [UInt8]) throws(ProtectionError) -> Parsed {
        do {
            guard bytes.count > magic.count + macByteCount else { throw ByteReader.Truncated() }
            let body = bytes.dropLast(macByteCount)
            var reader = ByteReader(body)
            guard try reader.take(magic.count).elementsEqual(magic) else {
                throw ProtectionError.damagedKeybag("it does not begin with its mark")
            }
            let version = Int(try reader.integer(UInt16.self))
            guard version <= Keybag.version else { throw ProtectionError.newerKeybag(version: version) }
            let keybag = try parseBody(&reader)
            guard reader.isAtEnd else { throw ProtectionError.damagedKeybag("it has bytes after its end") }
            return Parsed(keybag: keybag, body: body, code: bytes.suffix(macByteCount))
        } catch let error as ProtectionError {
            throw error
        } catch {
            throw .damagedKeybag("it is cut short")
        }
    }

    private static func parseBody(_ reader: inout ByteReader) throws -> Keybag {
        guard let storeIdentifier = Bytes16(try reader.take(Bytes16.count)) else { throw ByteReader.Truncated() }
        var keybag = Keybag(
            storeIdentifier: storeIdentifier,
            generation: try reader.integer(UInt32.self),
            slots: [],
            entries: []
        )
        for _ in 0..<(try reader.integer(UInt8.self)) {
            keybag.slots.append(try parseSlot(&reader))
        }
        for _ in 0..<(try reader.integer(UInt8.self)) {
            keybag.entries.append(try parseEntry(&reader))
        }
        return keybag
    }

    private static func parseSlot(_ reader: inout ByteReader) throws -> Keybag.Slot {
        let kind = try slotKind(&reader)
        let count = Int(try reader.integer(UInt16.self))
        return Keybag.Slot(kind: kind, wrappedSlotKey: Array(try reader.take(count)))
    }

    private static func parseEntry(_ reader: inout ByteReader) throws -> Keybag.Entry {
        let code = try reader.integer(UInt8.self)
        let name = String(decoding: try reader.take(Int(try reader.integer(UInt8.self))), as: UTF8.self)
        guard let purpose = Keybag.Entry.Purpose(code: code, className: name) else {
            throw ProtectionError.damagedKeybag("it has a key of an unknown purpose")
        }
        return Keybag.Entry(
            purpose: purpose,
            slot: try slotKind(&reader),
            generation: try reader.integer(UInt32.self),
            wrappedKey: Array(try reader.take(KeyWrap.wrappedByteCount))
        )
    }

    private static func slotKind(_ reader: inout ByteReader) throws -> Keybag.Slot.Kind {
        guard let kind = Keybag.Slot.Kind(rawValue: try reader.integer(UInt8.self)) else {
            throw ProtectionError.damagedKeybag("it has a slot of an unknown kind")
        }
        return kind
    }
}

extension Keybag.Entry.Purpose {
    fileprivate var code: UInt8 {
        switch self {
        case .classKey: 1
        case .metadataKey: 2
        case .index: 3
        }
    }

    fileprivate var className: String {
        switch self {
        case .classKey(let accessibility), .metadataKey(let accessibility): accessibility.rawValue
        case .index: ""
        }
    }

    fileprivate init?(code: UInt8, className: String) {
        switch (code, Accessibility(rawValue: className)) {
        case (1, let accessibility?): self = .classKey(accessibility)
        case (2, let accessibility?): self = .metadataKey(accessibility)
        case (3, nil) where className.isEmpty: self = .index
        default: return nil
        }
    }
}
