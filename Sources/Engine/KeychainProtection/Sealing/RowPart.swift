// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens one of the two parts of a row (Documentation/Format.md, "Sealed parts").
///
/// Each version of a row has a separate key for each part, which is derived from the class's key and seals one message:
/// so messages need not be counted (NIST SP 800-38D, section 8.3).
struct RowPart {
    let row: StoredRow
    /// The associated data of both parts of the row.
    let associatedData: AssociatedData
    private let part: AssociatedData.Part
    /// The key of this part of this version of the row.
    let key: SymmetricKey

    /// Creates the metadata or the secret of a row.
    ///
    /// - Parameters:
    ///   - part: which part.
    ///   - row: the row, with everything that the parts are bound to.
    ///   - keys: the keys of the store or backup of the row.
    ///   - associatedData: the row's associated data, if known from its other part.
    ///   - keyDerivation: the key of the part's keys, if already in use.
    /// - Throws: As ``RowKeys/key(_:)``.
    init(
        _ part: AssociatedData.Part,
        of row: StoredRow,
        keys: some RowKeys,
        associatedData: AssociatedData? = nil,
        keyDerivation: KeyDerivation? = nil
    ) throws(ProtectionError) {
        self.part = part
        self.row = row
        let storeIdentifier = keys.storeIdentifier
        func appendContext(_ context: inout [UInt8]) {
            row.appendVersion(of: storeIdentifier, to: &context)
        }
        let purpose = part == .metadata ? "row metadata" : "row secret"
        if let keyDerivation {
            key = keyDerivation.derive(purpose, row.format, appendingContext: appendContext)
        } else {
            let rowKey = try keys.key(of: row, part)
            key = KeyDerivation.derive(purpose, row.format, from: rowKey, appendingContext: appendContext)
        }
        if let associatedData {
            self.associatedData = associatedData
        } else if row.former == nil {
            self.associatedData = AssociatedData(row, of: storeIdentifier)
        } else {
            self.associatedData = AssociatedData(try keys.revealed(row), of: storeIdentifier)
        }
    }

    func seal(_ plain: UnsafeRawBufferPointer, _ nonce: AES.GCM.Nonce? = nil) throws(ProtectionError) -> [UInt8] {
        try GCM.seal(plain, under: key, nonce, associatedData: associatedData.encoded(part))
    }

    /// Passes the plaintext to `body` and wipes it afterwards.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)``, or the errors of `body`.
    func open<Result>(
        _ body: (UnsafeRawBufferPointer) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        let sealed = part == .metadata ? row.metadata : row.secret
        guard let opened = try GCM.open(sealed[...], under: key, associatedData: associatedData.encoded(part), body)
        else { throw .damagedRow(part == .metadata ? .metadata : .secret) }
        return opened
    }
}

/// The associated data of both sealed parts of a row (Documentation/Format.md, "Associated data").
///
/// A part or a tag that is copied from another store, another row, or another version of this one does not open. A
/// whole row that is restored to an earlier version does.
struct AssociatedData: Sendable {
    /// Those of either part, with room for the label.
    private var bytes: [UInt8]

    /// The part of a row; the label prevents one from being substituted for another.
    enum Part: UInt8 {
        case metadata = 0x4D
        case secret = 0x53
        /// All of it, in the code of a backup.
        case row = 0x52
    }

    /// The data that the parts of a row have in common, assembled once for both.
    init(_ row: StoredRow, of storeIdentifier: Bytes16) {
        bytes = []
        bytes.reserveCapacity(112 + row.tags.count * 20)
        bytes.append(0)
        bytes.append(row.format)
        storeIdentifier.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes += row.itemClass.rawValue.utf8
        row.identifier.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(truncatingIfNeeded: row.protection.utf8.count))
        bytes += row.protection.utf8
        bytes.append(littleEndian: row.keyGeneration)
        row.version.withUnsafeBytes { bytes.append(contentsOf: $0) }
        row.primaryKeyTag.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: row.tags.count))
        append(row.tags)
    }

    /// A name of four bytes, the first letter first, and sixteen bytes for each.
    private mutating func append(_ tags: [AttributeTag]) {
        let tagBytes = [UInt8](unsafeUninitializedCapacity: tags.count * 20) { buffer, count in
            let buffer = UnsafeMutableRawBufferPointer(buffer)
            for tag in tags {
                buffer.storeBytes(of: tag.name.code.bigEndian, toByteOffset: count, as: UInt32.self)
                buffer.storeBytes(of: tag.tag, toByteOffset: count + 4, as: Bytes16.self)
                count += 20
            }
        }
        bytes += tagBytes
    }

    /// The bytes for a part.
    func encoded(_ part: Part) -> [UInt8] {
        var bytes = bytes
        bytes[0] = part.rawValue
        return bytes
    }
}
