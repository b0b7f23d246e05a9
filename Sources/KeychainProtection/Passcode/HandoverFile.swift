// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// The half of a handed-over unlock that lies in a file (Documentation/Format.md, "Handover").
///
/// It is bound to its store, its name, a lock epoch and a boot. The code is HMAC-SHA-256 (RFC 2104) under a key that HKDF-SHA-256 (RFC 5869) derives from the other half.
public struct HandoverFile: Sendable, Hashable {
    /// The lock epoch in which the unlock was handed over.
    public let epoch: Int64
    /// The boot in which it was.
    public let boot: String
    private let wrapped: [UInt8]
    private let code: [UInt8]

    private static let magic = Array("SKHO".utf8)
    private static let version: UInt8 = 1
    private static let codeByteCount = 32

    /// The most bytes that a file has.
    public static let largestByteCount = 512

    /// What is to be written for a handover.
    ///
    /// - Parameters:
    ///   - handover: both halves; the key is only used.
    ///   - identifier: what the file is named by, fresh and random.
    ///   - store: the identifier of the store.
    ///   - epoch: the lock epoch now.
    ///   - boot: which boot of the host this is.
    public init(_ handover: SlotKey.Handover, identifier: Bytes16, store: Bytes16, epoch: Int64, boot: String) {
        self.epoch = epoch
        self.boot = Self.cut(boot)
        wrapped = handover.wrapped
        let message = Self.message(identifier, store, Self.body(epoch, self.boot, handover.wrapped))
        code = Array(HMAC<SHA256>.authenticationCode(for: message, using: Self.key(handover.key)))
    }

    /// A file as read, not yet believed; `nil` when it does not have the shape.
    public init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        guard let magic = try? reader.take(Self.magic.count), magic.elementsEqual(Self.magic),
            (try? reader.integer(UInt8.self)) == Self.version,
            let epoch = try? reader.integer(Int64.self),
            let bootByteCount = try? reader.integer(UInt8.self),
            let boot = try? reader.take(Int(bootByteCount)),
            let wrapped = try? reader.take(KeyWrap.wrappedByteCount),
            let code = try? reader.take(Self.codeByteCount), reader.isAtEnd
        else { return nil }
        self.epoch = epoch
        self.boot = String(decoding: boot, as: UTF8.self)
        self.wrapped = Array(wrapped)
        self.code = Array(code)
    }

    /// The bytes of the file.
    public var bytes: [UInt8] { Self.body(epoch, boot, wrapped) + code }

    /// Whether an epoch and a boot are those of the handover.
    public func fits(epoch: Int64, boot: String) -> Bool { self.epoch == epoch && self.boot == Self.cut(boot) }

    /// The slot key; `nil` when the other half belongs to another file or store, or this one was altered.
    public func slotKey(_ key: SecretBytes, identifier: Bytes16, store: Bytes16) -> SlotKey? {
        let message = Self.message(identifier, store, Self.body(epoch, boot, wrapped))
        guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: Self.key(key)) else {
            return nil
        }
        return SlotKey(SlotKey.Handover(key: key, wrapped: wrapped))
    }

    private static func body(_ epoch: Int64, _ boot: String, _ wrapped: [UInt8]) -> [UInt8] {
        var bytes = magic
        bytes.append(version)
        bytes.append(littleEndian: epoch)
        bytes.append(UInt8(boot.utf8.count))
        return bytes + boot.utf8 + wrapped
    }

    private static func message(_ identifier: Bytes16, _ store: Bytes16, _ body: [UInt8]) -> [UInt8] {
        identifier.bytes + store.bytes + body
    }

    private static func key(_ half: SecretBytes) -> SymmetricKey {
        KeyDerivation.derive("handover authentication", from: half.withUnsafeBytes { SymmetricKey(data: $0) })
    }

    /// The kernel's has 36 bytes.
    private static func cut(_ boot: String) -> String {
        boot.utf8.count <= 255 ? boot : String(boot.unicodeScalars.prefix(63).map(Character.init))
    }
}
