// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore

/// AES-256-GCM (NIST SP 800-38D) with a nonce of 12 bytes in front and a tag of 16 at the end.
enum SyncSeal {
    static let overheadByteCount = 12 + 16

    static func seal(
        _ plaintext: SecretBytes,
        under key: SymmetricKey,
        _ associated: [UInt8],
        nonce: [UInt8]? = nil
    ) throws(SyncFault) -> [UInt8] {
        do {
            let nonce = try nonce.map { try AES.GCM.Nonce(data: $0) } ?? AES.GCM.Nonce()
            let box = try plaintext.withUnsafeBytes {
                try AES.GCM.seal($0, using: key, nonce: nonce, authenticating: associated)
            }
            guard let combined = box.combined else { throw SyncFault.key }
            return Array(combined)
        } catch {
            throw .key
        }
    }

    static func open(
        _ sealed: [UInt8],
        of structure: SyncStructure,
        under key: SymmetricKey,
        _ associated: [UInt8]
    ) throws(SyncFault) -> SecretBytes {
        guard sealed.count >= overheadByteCount, let box = try? AES.GCM.SealedBox(combined: sealed),
            var plaintext = try? AES.GCM.open(box, using: key, authenticating: associated)
        else { throw .closed(structure) }
        defer { plaintext.resetBytes(in: plaintext.startIndex..<plaintext.endIndex) }
        return plaintext.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    /// The length of the content of padded bytes: 0x80 and zeros up to a multiple of `step` (ISO/IEC 7816-4).
    static func contentCount(_ padded: UnsafeRawBufferPointer, step: Int) -> Int? {
        guard !padded.isEmpty, padded.count.isMultiple(of: step) else { return nil }
        var end = padded.count - 1
        while end > 0, padded[end] == 0 { end -= 1 }
        return padded[end] == 0x80 ? end : nil
    }

    static func paddedCount(_ count: Int, step: Int) -> Int { (count / step + 1) * step }
}

/// A text that the members of a zone read: a name, a description, an address.
package struct SealedText: Sendable, Hashable {
    /// The zone under whose key it is.
    package let zone: Bytes16
    /// The epoch of the key.
    package let epoch: UInt32
    private let salt: Bytes16
    private let sealed: [UInt8]

    private static let step = 64
    private static let limit = SyncFormat.Limit.textByteCount + 2 * step + SyncSeal.overheadByteCount

    /// Seals bytes under the class key that is there after the first unlock.
    package init(
        _ content: [UInt8],
        _ keys: ZoneKeys,
        in place: SyncPlace,
        salt: Bytes16 = .random(),
        nonce: [UInt8]? = nil
    ) throws(SyncFault) {
        guard content.count <= SyncFormat.Limit.textByteCount else { throw .tooLarge(.entry) }
        zone = place.zone
        epoch = keys.epoch
        self.salt = salt
        let padded = SecretBytes(count: SyncSeal.paddedCount(content.count, step: Self.step)) { buffer in
            buffer.copyBytes(from: content)
            buffer[content.count] = 0x80
        }
        let (key, associated) = Self.key(keys, place, salt: salt)
        sealed = try SyncSeal.seal(padded, under: key, associated, nonce: nonce)
    }

    init(_ reader: inout SyncReader) throws(SyncFault) {
        zone = try reader.identifier()
        epoch = try reader.integer(UInt32.self)
        salt = try reader.identifier()
        sealed = try reader.block(Self.limit)
    }

    var encoded: [UInt8] {
        var bytes = zone.bytes
        bytes.append(littleEndian: epoch)
        bytes.append(salt)
        bytes.append(block: sealed)
        return bytes
    }

    /// The bytes.
    package func open(_ keys: ZoneKeys, in place: SyncPlace) throws(SyncFault) -> [UInt8] {
        guard place.zone == zone else { throw .place(.entry) }
        guard keys.epoch == epoch else { throw .epoch }
        let (key, associated) = Self.key(keys, place, salt: salt)
        let padded = try SyncSeal.open(sealed, of: .entry, under: key, associated)
        let content = padded.withUnsafeBytes { bytes in
            SyncSeal.contentCount(bytes, step: Self.step).map { Array(bytes[..<$0]) }
        }
        guard let content else { throw .malformed(.entry) }
        return content
    }

    private static func key(_ keys: ZoneKeys, _ place: SyncPlace, salt: Bytes16) -> (SymmetricKey, [UInt8]) {
        let context = place.context(keys.epoch) + salt.bytes
        let key = SyncFormat.expand(keys.key(.afterFirstUnlock), "text", context: context)
        return (key, SyncFormat.information("text", context))
    }
}
