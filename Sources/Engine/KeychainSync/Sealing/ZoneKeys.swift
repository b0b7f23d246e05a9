// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore

/// A zone of a circle.
package struct SyncPlace: Sendable, Hashable {
    /// The circle.
    package let circle: Bytes16
    /// The zone.
    package let zone: Bytes16

    /// A zone of a circle.
    package init(circle: Bytes16, zone: Bytes16) {
        self.circle = circle
        self.zone = zone
    }

    var bytes: [UInt8] { circle.bytes + zone.bytes }

    /// The place and an epoch.
    func context(_ epoch: UInt32) -> [UInt8] {
        var bytes = bytes
        bytes.append(littleEndian: epoch)
        return bytes
    }
}

/// Which of the two keys of an epoch seals a record.
package enum SyncClass: UInt8, Sendable, Hashable, CaseIterable {
    /// Items that are readable while the device is unlocked (`ak`).
    case whenUnlocked = 0x41
    /// The others (`ck`, `dk`).
    case afterFirstUnlock = 0x43
}

/// The keys of an epoch of a zone: one for each class, and that of the slots, which stays.
package struct ZoneKeys: Sendable {
    /// The epoch; 1 is the first.
    package let epoch: UInt32
    let whenUnlocked: SymmetricKey
    let afterFirstUnlock: SymmetricKey
    let slots: SymmetricKey

    static let keyByteCount = 32
    static let count = 3

    /// The first keys of a zone.
    package init() { self.init(epoch: 1, SymmetricKey(size: .bits256), SymmetricKey(size: .bits256), slots: nil) }

    /// The keys of the next epoch.
    package func next() throws(SyncFault) -> ZoneKeys {
        let (number, overflow) = epoch.addingReportingOverflow(1)
        guard !overflow else { throw .epoch }
        return ZoneKeys(epoch: number, SymmetricKey(size: .bits256), SymmetricKey(size: .bits256), slots: slots)
    }

    /// Keys that are known.
    package init(
        epoch: UInt32,
        _ whenUnlocked: SymmetricKey,
        _ afterFirstUnlock: SymmetricKey,
        slots: SymmetricKey?
    ) {
        self.epoch = epoch
        self.whenUnlocked = whenUnlocked
        self.afterFirstUnlock = afterFirstUnlock
        self.slots = slots ?? SymmetricKey(size: .bits256)
    }

    func key(_ level: SyncClass) -> SymmetricKey { level == .whenUnlocked ? whenUnlocked : afterFirstUnlock }

    private var all: [SymmetricKey] { [whenUnlocked, afterFirstUnlock, slots] }

    /// What shows that all have the same keys, and nothing of them: for each in the order A, C, slots.
    package func commitments(in place: SyncPlace) -> [SyncDigest] {
        zip(all, UInt8(0)...).map { key, index in
            // The slot key stays over epochs, and so does its commitment.
            let context = place.context(index == 2 ? 0 : epoch) + [index]
            let code = SyncFormat.expand(key, "commitment", context: context)
            guard let digest = code.withUnsafeBytes({ SyncDigest($0) }) else { preconditionFailure("it has 32 bytes") }
            return digest
        }
    }

    // MARK: Earlier keys

    /// The class keys of the epoch before, wrapped under those of this one (RFC 3394): A, then C.
    package func wrapping(_ former: ZoneKeys, in place: SyncPlace) throws(SyncFault) -> [UInt8] {
        do {
            return try SyncClass.allCases.flatMap { level in
                Array(try AES.KeyWrap.wrap(former.key(level), using: wrappingKey(level, place)))
            }
        } catch {
            throw .key
        }
    }

    /// The keys of the epoch before, of the entry that began this one.
    package func former(_ epoch: NewEpoch, in place: SyncPlace) throws(SyncFault) -> ZoneKeys {
        guard epoch.number == self.epoch, self.epoch > 1 else { throw .epoch }
        let half = NewEpoch.wrappedByteCount / 2
        do {
            let wrapped = epoch.earlierKeys
            return ZoneKeys(
                epoch: self.epoch - 1,
                try AES.KeyWrap.unwrap(wrapped[..<half], using: wrappingKey(.whenUnlocked, place)),
                try AES.KeyWrap.unwrap(wrapped[half...], using: wrappingKey(.afterFirstUnlock, place)),
                slots: slots
            )
        } catch {
            throw .key
        }
    }

    private func wrappingKey(_ level: SyncClass, _ place: SyncPlace) -> SymmetricKey {
        SyncFormat.expand(key(level), "earlier key", context: place.context(epoch))
    }

    // MARK: Boxes

    private static let suite = HPKE.Ciphersuite.XWingMLKEM768X25519_SHA256_AES_GCM_256

    /// The bytes of a box: header, encapsulation, three keys, tag.
    package static let boxByteCount = 5 + encapsulationByteCount + count * keyByteCount + 16
    private static let encapsulationByteCount = 1_120

    /// The keys, sealed by HPKE (RFC 9180) with X-Wing for a receiving key.
    package func box(
        for receiver: (identifier: Bytes16, key: [UInt8]),
        from sender: Bytes16,
        in place: SyncPlace
    ) throws(SyncFault) -> [UInt8] {
        let content = SecretBytes(count: Self.count * Self.keyByteCount) { buffer in
            for (index, key) in all.enumerated() {
                let start = index * Self.keyByteCount
                key.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + Self.keyByteCount])
                        .copyMemory(from: $0)
                }
            }
        }
        do {
            let key = try XWingMLKEM768X25519.PublicKey(rawRepresentation: receiver.key)
            let information = Self.information(place, epoch, for: receiver.identifier, from: sender)
            var hpke = try HPKE.Sender(recipientKey: key, ciphersuite: Self.suite, info: information)
            let header = [UInt8].beginning(.box)
            let sealed = try content.withUnsafeBytes { try hpke.seal($0, authenticating: header) }
            return header + hpke.encapsulatedKey + sealed
        } catch {
            throw .key
        }
    }

    /// Opens a box, whose hash the caller found in a signed entry, and checks the keys against their commitments.
    package init(
        _ box: [UInt8],
        for receiver: SyncReceiver,
        from sender: Bytes16,
        _ epoch: NewEpoch,
        in place: SyncPlace
    ) throws(SyncFault) {
        guard box.count == Self.boxByteCount else { throw .malformed(.box) }
        var reader = try SyncReader(box, .box)
        let encapsulation = try reader.bytes(Self.encapsulationByteCount)
        let sealed = try reader.rest()
        var plaintext: Data
        do {
            var hpke = try HPKE.Recipient(
                privateKey: receiver.key,
                ciphersuite: Self.suite,
                info: Self.information(place, epoch.number, for: receiver.identifier, from: sender),
                encapsulatedKey: Data(encapsulation)
            )
            plaintext = try hpke.open(sealed, authenticating: [UInt8].beginning(.box))
        } catch {
            throw .closed(.box)
        }
        defer { plaintext.resetBytes(in: plaintext.startIndex..<plaintext.endIndex) }
        guard plaintext.count == Self.count * Self.keyByteCount else { throw .malformed(.box) }
        let keys = (0..<Self.count).map { index in
            plaintext.withUnsafeBytes { bytes in
                let start = index * Self.keyByteCount
                return SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.keyByteCount]))
            }
        }
        self.init(epoch: epoch.number, keys[0], keys[1], slots: keys[2])
        guard commitments(in: place) == epoch.commitments else { throw .key }
    }

    private static func information(
        _ place: SyncPlace,
        _ epoch: UInt32,
        for receiver: Bytes16,
        from sender: Bytes16
    ) -> Data { Data(SyncFormat.information("box", place.context(epoch) + receiver.bytes + sender.bytes)) }
}

/// Who opens boxes: a member, or a recipient, which has no other key.
package struct SyncReceiver: Sendable {
    /// The identifier.
    package let identifier: Bytes16
    let key: XWingMLKEM768X25519.PrivateKey

    /// A member.
    package init(_ identity: SyncIdentity) {
        identifier = identity.keys.identifier
        key = identity.receiving
    }

    /// A recipient, from the seed of its key, 32 bytes.
    package init(recipientSeed: SymmetricKey) throws(SyncFault) {
        do {
            key = try recipientSeed.withUnsafeBytes {
                try XWingMLKEM768X25519.PrivateKey(seedRepresentation: $0, publicKey: nil)
            }
        } catch {
            throw .key
        }
        identifier = Self.identifier(ofRecipient: Array(key.publicKey.rawRepresentation))
    }

    /// The public key.
    package var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    static func identifier(ofRecipient key: [UInt8]) -> Bytes16 {
        SyncFormat.hash("recipient identifier", key).identifier
    }
}
