// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A key of the software enclave in its sealed form (Documentation/Format.md, "Sealed keys").
///
/// Everything except the private key is unencrypted. It is trusted only after the code at the end was verified, which
/// requires no class key, so that damage can be distinguished from "locked" in every lock state.
package struct SealedKey: Sendable {
    /// The algorithm.
    package let algorithm: EnclaveAlgorithm
    /// When it can be used; includes the biometry that was enrolled at its creation, if relevant.
    package let accessControl: AccessControl
    /// The public key, as in ``EnclaveKey/publicKey``.
    package let publicKey: [UInt8]

    /// The generation of the class key that the sealing key is derived from.
    let generation: UInt32
    /// The value that makes the sealing key unique to this key.
    let salt: Bytes16
    /// The private key: nonce, ciphertext, tag.
    let sealedPrivateKey: [UInt8]

    /// Whether it is protected by an application password.
    var needsPassword: Bool { accessControl.constraints?.requiresApplicationPassword ?? false }

    /// Everything before the sealed private key: what the private key is bound to.
    var header: [UInt8] {
        var bytes = Self.magic
        bytes += [FileFormat.keyNumber, algorithm.rawValue]
        let protection = accessControl.protection.rawValue.utf8
        bytes.append(UInt8(protection.count))
        bytes += protection
        bytes.append(littleEndian: generation)
        let flags = accessControl.constraints?.flags
        bytes.append(littleEndian: flags?.rawValue ?? Self.noFlags)
        if flags?.contains(.biometryCurrentSet) ?? false { bytes += (accessControl.enrolledSet ?? .zero).bytes }
        bytes += publicKey
        return bytes + salt.bytes
    }

    /// Everything before the code.
    var body: [UInt8] { header + sealedPrivateKey }

    private static let magic = Array("SKEK".utf8)

    /// Represents an access control that was created from a protection class only.
    private static let noFlags = UInt64.max
}

extension SealedKey {
    /// A sealed form as read, not yet believed.
    struct Parsed {
        let key: SealedKey
        private let code: ArraySlice<UInt8>

        /// Parses the bytes; every length is checked, and each key has exactly one encoding.
        init(_ bytes: [UInt8]) throws(ProtectionError) {
            do {
                guard bytes.count > MessageAuthentication.byteCount else { throw Malformed() }
                var reader = ByteReader(bytes.dropLast(MessageAuthentication.byteCount))
                key = try SealedKey(&reader)
                guard reader.isAtEnd else { throw Malformed() }
                code = bytes.suffix(MessageAuthentication.byteCount)
            } catch {
                throw .damagedKey
            }
        }

        /// Whether the HMAC-SHA-256 over everything before it is right.
        func isAuthentic(_ keybag: OpenKeybag) -> Bool {
            MessageAuthentication.isRight(code, key.body[...], under: SealedKey.authenticationKey(keybag))
        }
    }

    private struct Malformed: Error {}

    private init(_ reader: inout ByteReader) throws {
        guard try reader.readBytes(Self.magic.count).elementsEqual(Self.magic),
            try reader.integer(UInt8.self) == FileFormat.keyNumber,
            let algorithm = EnclaveAlgorithm(rawValue: try reader.integer(UInt8.self)),
            let protection = Accessibility(
                rawValue: String(decoding: try reader.readBytes(Int(try reader.integer(UInt8.self))), as: UTF8.self)
            )
        else { throw Malformed() }
        self.algorithm = algorithm
        generation = try reader.integer(UInt32.self)
        accessControl = try Self.accessControl(protection, &reader)
        publicKey = Array(try reader.readBytes(algorithm.publicKeyByteCount))
        guard let salt = Bytes16(try reader.readBytes(Bytes16.count)) else { throw Malformed() }
        self.salt = salt
        let needsPassword = accessControl.constraints?.requiresApplicationPassword ?? false
        let layerByteCount = needsPassword ? PasswordLayer.overheadByteCount : 0
        let byteCount = algorithm.privateKeyByteCount + layerByteCount + GCM.overheadByteCount
        sealedPrivateKey = Array(try reader.readBytes(byteCount))
    }

    private static func accessControl(_ protection: Accessibility, _ reader: inout ByteReader) throws -> AccessControl {
        let flags = AccessControlFlags(rawValue: try reader.integer(UInt64.self))
        if flags.rawValue == noFlags { return AccessControl(synthesizedFor: protection) }
        guard let constraints = AccessConstraints(flags), constraints.flags == flags else { throw Malformed() }
        var accessControl = AccessControl(protection: protection, constraints: constraints)
        if flags.contains(.biometryCurrentSet) {
            let set = Bytes16(try reader.readBytes(Bytes16.count))
            accessControl.enrolledSet = set == .zero ? nil : set
        }
        return accessControl
    }
}
