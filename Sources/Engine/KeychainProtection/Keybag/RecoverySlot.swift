// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore

/// The slot of a keybag that the recovery key opens, without passcode and root key (Documentation/Format.md, "Recovery
/// slot").
///
/// Every key of the store is sealed to a key pair by HPKE (RFC 9180), so that each new keybag has the slot without the
/// recovery key. The private key is sealed under the recovery key.
struct RecoverySlot: Sendable, Hashable {
    /// For whom the keys are sealed; the same in each keybag for as long as the recovery key is valid.
    let recipient: Recipient

    /// HPKE's encapsulated key.
    fileprivate let encapsulatedKey: [UInt8]

    /// HPKE's ciphertext: the key of the root slot, then the keys of the purposes, in their order.
    fileprivate let sealedKeys: [UInt8]

    /// What the recovery key alone determines.
    struct Recipient: Sendable, Hashable {
        /// When the recovery key was made.
        let date: Timestamp
        /// The public key of P-256: 04 ‖ X ‖ Y.
        fileprivate let publicKey: [UInt8]
        /// The private key and the preshared key, sealed under the recovery key.
        fileprivate let sealedSecrets: [UInt8]
    }

    /// The keybag that the slot is in, as far as its keys are bound to it.
    struct Use {
        let storeIdentifier: Bytes16
        let generation: UInt32
        let passcodeGeneration: UInt32
        let hasPasscode: Bool
    }
}

// MARK: - Bytes

extension RecoverySlot {
    private static let publicKeyByteCount = 65
    fileprivate static let secretsByteCount = 2 * LockedKey.byteCount

    /// Reads the content of a slot.
    init(_ reader: inout ByteReader) throws {
        let date = Double(bitPattern: try reader.integer(UInt64.self))
        guard date.isFinite else { throw ProtectionError.damagedKeybag("its recovery key has no date") }
        recipient = Recipient(
            date: Timestamp(secondsSinceReferenceDate: date),
            publicKey: Array(try reader.readBytes(Self.publicKeyByteCount)),
            sealedSecrets: Array(try reader.readBytes(Self.secretsByteCount + GCM.overheadByteCount))
        )
        encapsulatedKey = Array(try reader.readBytes(Self.publicKeyByteCount))
        sealedKeys = Array(try reader.readRemainingBytes())
    }

    /// The content of the slot.
    var encoded: [UInt8] {
        Recipient.encoded(recipient.date) + recipient.publicKey + recipient.sealedSecrets + encapsulatedKey + sealedKeys
    }
}

extension RecoverySlot.Recipient {
    fileprivate static func encoded(_ date: Timestamp) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: date.secondsSinceReferenceDate.bitPattern)
        return bytes
    }
}

// MARK: - Sealing for the recovery key

extension RecoverySlot {
    /// DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM.
    private static let suite = HPKE.Ciphersuite.P256_SHA256_AES_GCM_256
    private static let presharedKeyIdentifier = Data("recovery".utf8)
}

extension RecoverySlot.Use {
    fileprivate var information: Data { Data(KeyDerivation.information("recovery slot", storeIdentifier.bytes)) }

    fileprivate var associatedData: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: generation)
        bytes.append(littleEndian: passcodeGeneration)
        bytes.append(hasPasscode ? 1 : 0)
        return bytes
    }
}

extension RecoverySlot.Recipient {
    /// Seals keys, in HPKE's mode with a preshared key: who has another public key put into the keybag, and not that
    /// key, opens nothing.
    fileprivate func sealed(
        _ keys: UnsafeRawBufferPointer,
        presharedKey: SymmetricKey,
        _ use: RecoverySlot.Use
    ) throws(ProtectionError) -> RecoverySlot {
        do {
            var sender = try HPKE.Sender(
                recipientKey: P256.KeyAgreement.PublicKey(x963Representation: publicKey),
                ciphersuite: RecoverySlot.suite,
                info: use.information,
                presharedKey: presharedKey,
                presharedKeyIdentifier: RecoverySlot.presharedKeyIdentifier
            )
            let sealedKeys = try sender.seal(keys, authenticating: use.associatedData)
            return RecoverySlot(
                recipient: self,
                encapsulatedKey: Array(sender.encapsulatedKey),
                sealedKeys: Array(sealedKeys)
            )
        } catch {
            throw .cryptography("HPKE: \(error)")
        }
    }

    /// Seals the keys of a keybag, in their order.
    func seal(
        _ keys: [LockedKey],
        presharedKey: LockedKey,
        _ use: RecoverySlot.Use
    ) throws(ProtectionError) -> RecoverySlot {
        let plaintext = SecretBytes(count: keys.count * LockedKey.byteCount) { buffer in
            for (index, key) in keys.enumerated() {
                let start = index * LockedKey.byteCount
                let place = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + LockedKey.byteCount])
                key.withUnsafeBytes { place.copyMemory(from: $0) }
            }
        }
        return try presharedKey.withKey { presharedKey throws(ProtectionError) in
            try plaintext.withUnsafeBytes { (plaintext) throws(ProtectionError) in
                try sealed(plaintext, presharedKey: presharedKey, use)
            }
        }
    }
}

// MARK: - Opening with the recovery key

extension RecoverySlot {
    /// The keys that a recovery key opens.
    ///
    /// - Parameters:
    ///   - key: the recovery key.
    ///   - use: the keybag that the slot is in.
    ///   - count: how many keys there must be.
    /// - Returns: The keys, in their order; `nil` if the recovery key is wrong.
    /// - Throws: ``ProtectionError/damagedKeybag(_:)`` if the key is right, and the keys do not open;
    ///   ``ProtectionError/noMemory``.
    func open(_ key: RecoveryKey, _ use: Use, count: Int) throws(ProtectionError) -> [SymmetricKey]? {
        let sealingKey = Recipient.sealingKey(key, use.storeIdentifier)
        return try GCM.open(
            recipient.sealedSecrets[...],
            under: sealingKey,
            associatedData: Recipient.associatedData(of: use.storeIdentifier, recipient.date, recipient.publicKey)
        ) { (secrets) throws(ProtectionError) in
            let half = LockedKey.byteCount
            var plaintext: Data
            do {
                var recipient = try HPKE.Recipient(
                    privateKey: P256.KeyAgreement.PrivateKey(rawRepresentation: secrets[..<half]),
                    ciphersuite: Self.suite,
                    info: use.information,
                    encapsulatedKey: Data(encapsulatedKey),
                    presharedKey: SymmetricKey(data: secrets[half...]),
                    presharedKeyIdentifier: Self.presharedKeyIdentifier
                )
                plaintext = try recipient.open(sealedKeys, authenticating: use.associatedData)
            } catch {
                throw .damagedKeybag("its recovery key opens none of its keys")
            }
            let keys = plaintext.withUnsafeMutableBytes { bytes -> [SymmetricKey]? in
                defer { bytes.wipe() }
                guard bytes.count == count * half else { return nil }
                return (0..<count).map { SymmetricKey(data: bytes[$0 * half..<($0 + 1) * half]) }
            }
            guard let keys else { throw .damagedKeybag("its recovery key opens other keys") }
            return keys
        }
    }
}

extension RecoverySlot.Recipient {
    /// HKDF-SHA-256 (RFC 5869) of the recovery key: its 128 bits are random, so that no slow derivation is needed.
    fileprivate static func sealingKey(_ key: RecoveryKey, _ storeIdentifier: Bytes16) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key.bytes.withUnsafeBytes { SymmetricKey(data: $0) },
            salt: storeIdentifier.bytes,
            info: KeyDerivation.information("recovery key", []),
            outputByteCount: LockedKey.byteCount
        )
    }

    fileprivate static func associatedData(
        of storeIdentifier: Bytes16,
        _ date: Timestamp,
        _ publicKey: [UInt8]
    ) -> [UInt8] {
        storeIdentifier.bytes + encoded(date) + publicKey
    }
}

// MARK: - A new one

/// The slot of a new recovery key on its way into a keybag: a fresh key pair, and a fresh preshared key.
package struct NewRecoverySlot: Sendable {
    let recipient: RecoverySlot.Recipient
    let presharedKey: LockedKey

    /// A slot for a recovery key of a store.
    ///
    /// - Throws: ``ProtectionError/noMemory``.
    package init(_ key: RecoveryKey, date: Timestamp, for storeIdentifier: Bytes16) throws(ProtectionError) {
        let privateKey = P256.KeyAgreement.PrivateKey()
        let presharedKey = SymmetricKey.random()
        let publicKey = Array(privateKey.publicKey.x963Representation)
        var scalar = privateKey.rawRepresentation
        defer { scalar.withUnsafeMutableBytes { $0.wipe() } }
        let secrets = SecretBytes(count: RecoverySlot.secretsByteCount) { buffer in
            let halves = (buffer[..<LockedKey.byteCount], buffer[LockedKey.byteCount...])
            UnsafeMutableRawBufferPointer(rebasing: halves.0).copyBytes(from: scalar)
            presharedKey.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: halves.1).copyBytes(from: $0) }
        }
        let sealed = try secrets.withUnsafeBytes { (secrets) throws(ProtectionError) in
            try GCM.seal(
                secrets,
                under: RecoverySlot.Recipient.sealingKey(key, storeIdentifier),
                associatedData: RecoverySlot.Recipient.associatedData(of: storeIdentifier, date, publicKey)
            )
        }
        recipient = RecoverySlot.Recipient(date: date, publicKey: publicKey, sealedSecrets: sealed)
        self.presharedKey = try LockedMemory(keyCapacity: 1).store(presharedKey)
    }
}
