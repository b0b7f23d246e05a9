// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The half of a handed-over unlock that is stored in a file (Documentation/Format.md, "Handover").
///
/// It is bound to its store, its name, a lock mark and a boot. The code is HMAC-SHA-256 (RFC 2104) under a key that
/// HKDF-SHA-256 (RFC 5869) derives from the other half.
package struct HandoverFile: Sendable, Hashable {
    /// The lock mark under which the unlock was handed over.
    package let mark: Bytes16
    /// The boot in which it was.
    package let boot: String
    private let wrapped: [UInt8]
    private let code: [UInt8]

    private static let magic = Array("SKHO".utf8)
    private static let version: UInt8 = 2
    private static let codeByteCount = 32

    /// The most bytes that a file has.
    package static let largestByteCount = 512

    /// The content of the file for a handover.
    ///
    /// - Parameters:
    ///   - handover: both halves; the key is used, but not stored.
    ///   - identifier: the name of the file, fresh and random.
    ///   - store: the identifier of the store.
    ///   - mark: the current lock mark.
    ///   - boot: the identifier of the current boot of the host.
    package init(_ handover: SlotKey.Handover, identifier: Bytes16, store: Bytes16, mark: Bytes16, boot: String) {
        self.mark = mark
        self.boot = Self.truncated(boot)
        wrapped = handover.wrapped
        let message = Self.message(
            identifier,
            store: store,
            body: Self.body(mark: mark, boot: self.boot, wrapped: handover.wrapped)
        )
        code = MessageAuthentication.code(message, under: Self.key(handover.key, store)).withUnsafeBytes { Array($0) }
    }

    /// A file as read, not yet believed; `nil` when it does not have the shape.
    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard let magic = try? reader.readBytes(Self.magic.count), magic.elementsEqual(Self.magic),
            (try? reader.integer(UInt8.self)) == Self.version,
            let mark = (try? reader.readBytes(Bytes16.count)).flatMap({ Bytes16($0) }),
            let bootByteCount = try? reader.integer(UInt8.self),
            let boot = try? reader.readBytes(Int(bootByteCount)),
            let wrapped = try? reader.readBytes(KeyWrap.wrappedByteCount),
            let code = try? reader.readBytes(Self.codeByteCount), reader.isAtEnd
        else { return nil }
        self.mark = mark
        self.boot = String(decoding: boot, as: UTF8.self)
        self.wrapped = Array(wrapped)
        self.code = Array(code)
    }

    /// The bytes of the file.
    package var bytes: [UInt8] { Self.body(mark: mark, boot: boot, wrapped: wrapped) + code }

    /// Whether a lock mark and a boot are those of the handover.
    package func fits(mark: Bytes16?, boot: String) -> Bool { self.mark == mark && self.boot == Self.truncated(boot) }

    /// The slot key; `nil` when the other half belongs to another file or store, or this one was altered.
    package func slotKey(_ key: SecretBytes, identifier: Bytes16, store: Bytes16) -> SlotKey? {
        let message = Self.message(identifier, store: store, body: Self.body(mark: mark, boot: boot, wrapped: wrapped))
        guard MessageAuthentication.isRight(code[...], message[...], under: Self.key(key, store)) else { return nil }
        return SlotKey(SlotKey.Handover(key: key, wrapped: wrapped), store: store)
    }

    private static func body(mark: Bytes16, boot: String, wrapped: [UInt8]) -> [UInt8] {
        magic + [version] + mark.bytes + [UInt8(boot.utf8.count)] + boot.utf8 + wrapped
    }

    private static func message(_ identifier: Bytes16, store: Bytes16, body: [UInt8]) -> [UInt8] {
        identifier.bytes + store.bytes + body
    }

    private static func key(_ half: SecretBytes, _ store: Bytes16) -> SymmetricKey {
        let half = half.withUnsafeBytes { SymmetricKey(data: $0) }
        return KeyDerivation.derive("handover authentication", from: half, context: store.bytes)
    }

    /// The kernel's has 36 bytes.
    private static func truncated(_ boot: String) -> String {
        boot.utf8.count <= 255 ? boot : String(boot.unicodeScalars.prefix(63).map(Character.init))
    }
}
