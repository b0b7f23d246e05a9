// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The bytes of a keybag (Documentation/Format.md, "Keybag").
enum KeybagCodec {
    private static let mark = Array("SKKB".utf8)

    static func seal(_ keybag: Keybag, authenticationKey: SymmetricKey) -> [UInt8] {
        AuthenticatedBytes<Keybag>.seal(mark, under: authenticationKey) { append(keybag, to: &$0) }
    }

    private static func append(_ keybag: Keybag, to bytes: inout [UInt8]) {
        bytes += keybag.storeIdentifier.bytes
        bytes += [keybag.owner.rawValue, keybag.rootKeyKind.rawValue]
        bytes.append(littleEndian: keybag.generation)
        bytes.append(littleEndian: keybag.passcodeGeneration)
        bytes.append(UInt8(keybag.slots.count))
        for slot in keybag.slots {
            bytes.append(slot.kind.rawValue)
            bytes.append(littleEndian: UInt16(slot.content.count))
            bytes += slot.content
        }
        bytes.append(UInt8(keybag.entries.count))
        for entry in keybag.entries {
            bytes += entry.purpose.encoded
            bytes.append(entry.slot.rawValue)
            bytes.append(littleEndian: entry.generation)
            bytes += entry.wrappedKey
        }
    }

    /// Parses the bytes; every length is checked, regardless of their origin.
    static func parse(_ bytes: [UInt8]) throws(ProtectionError) -> AuthenticatedBytes<Keybag> {
        try AuthenticatedBytes(bytes, mark: mark, unmarked: "it does not begin with its mark", parseBody)
    }

    private static func parseBody(_ reader: inout ByteReader) throws -> Keybag {
        guard let storeIdentifier = Bytes16(try reader.readBytes(Bytes16.count)) else { throw ByteReader.Truncated() }
        var keybag = Keybag(
            storeIdentifier: storeIdentifier,
            owner: StoreOwner(rawValue: try reader.integer(UInt8.self)),
            rootKeyKind: RootKeyKind(rawValue: try reader.integer(UInt8.self)),
            generation: try reader.integer(UInt32.self),
            passcodeGeneration: try reader.integer(UInt32.self),
            slots: [],
            entries: []
        )
        for _ in 0..<(try reader.integer(UInt8.self)) {
            keybag.slots.append(try parseSlot(&reader, of: storeIdentifier))
        }
        for _ in 0..<(try reader.integer(UInt8.self)) {
            keybag.entries.append(try parseEntry(&reader))
        }
        return keybag
    }

    private static func parseSlot(_ reader: inout ByteReader, of storeIdentifier: Bytes16) throws -> Keybag.Slot {
        let kind = try slotKind(&reader)
        var content = ByteReader(try reader.readBytes(Int(try reader.integer(UInt16.self))))
        let slot: Keybag.Slot
        switch kind {
        case .root: slot = .root(wrappedSlotKey: Array(try content.readRemainingBytes()))
        case .passcode: slot = .passcode(try PasscodeSlot(&content, of: storeIdentifier))
        case .recovery: slot = .recovery(try RecoverySlot(&content))
        }
        guard content.isAtEnd else { throw ProtectionError.damagedKeybag("it has a slot of a wrong length") }
        return slot
    }

    private static func parseEntry(_ reader: inout ByteReader) throws -> Keybag.Entry {
        Keybag.Entry(
            purpose: try Keybag.Entry.Purpose(&reader),
            slot: try slotKind(&reader),
            generation: try reader.integer(UInt32.self),
            wrappedKey: Array(try reader.readBytes(KeyWrap.wrappedByteCount))
        )
    }

    private static func slotKind(_ reader: inout ByteReader) throws -> Keybag.Slot.Kind {
        guard let kind = Keybag.Slot.Kind(rawValue: try reader.integer(UInt8.self)) else {
            throw ProtectionError.damagedKeybag("it has a slot of an unknown kind")
        }
        return kind
    }
}

extension FileFormat {
    // A revision changes no keybag, so that every one of this format can be read. Only tests specify another current
    // version.
    static func checkVersion(_ reader: inout ByteReader, current: UInt16 = keybagVersion) throws {
        let found = try reader.integer(UInt16.self)
        guard found <= current else { throw ProtectionError.newerKeybag(version: Int(found)) }
        guard found >> 8 == current >> 8 else {
            throw ProtectionError.damagedKeybag("it has no version that was released")
        }
    }
}

extension Keybag.Slot {
    fileprivate var content: [UInt8] {
        switch self {
        case .root(let wrappedSlotKey): wrappedSlotKey
        case .passcode(let slot): slot.salt + slot.work.encoded + slot.wrappedSlotKey
        case .recovery(let slot): slot.encoded
        }
    }
}

extension PasscodeSlot {
    fileprivate init(_ reader: inout ByteReader, of storeIdentifier: Bytes16) throws(ByteReader.Truncated) {
        self.storeIdentifier = storeIdentifier
        salt = Array(try reader.readBytes(Self.saltByteCount))
        work = try ScryptParameters(&reader)
        wrappedSlotKey = Array(try reader.readBytes(KeyWrap.wrappedByteCount))
    }
}

extension Keybag.Entry.Purpose {
    /// The bytes in a file: a code, the length of the class name, the class name.
    var encoded: [UInt8] { [code, UInt8(className.utf8.count)] + className.utf8 }

    /// Reads a purpose.
    ///
    /// - Throws: ``ProtectionError/damagedKeybag(_:)``, or that the bytes end too soon.
    init(_ reader: inout ByteReader) throws {
        let code = try reader.integer(UInt8.self)
        let name = String(decoding: try reader.readBytes(Int(try reader.integer(UInt8.self))), as: UTF8.self)
        switch (code, Accessibility(rawValue: name)) {
        case (1, let accessibility?): self = .classKey(accessibility)
        case (2, let accessibility?): self = .metadataKey(accessibility)
        case (3, nil) where name.isEmpty: self = .index
        case (4, nil) where name.isEmpty: self = .recovery
        default: throw ProtectionError.damagedKeybag("it has a key of an unknown purpose")
        }
    }

    private var code: UInt8 {
        switch self {
        case .classKey: 1
        case .metadataKey: 2
        case .index: 3
        case .recovery: 4
        }
    }

    private var className: String { accessibility?.rawValue ?? "" }
}
