// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// Seals and opens one of the two parts of a row (Documentation/Format.md, "Sealed parts").
///
/// Each version of a row has a key of its own for each part, which is derived from the class's key and seals one message: so
/// there is no count of messages to keep (NIST SP 800-38D, section 8.3).
struct RowPart {
    private let part: AssociatedData.Part
    private let row: StoredRow
    private let storeIdentifier: Bytes16
    private let classKey: LockedKey

    /// The metadata of a row, or its secret.
    ///
    /// - Parameters:
    ///   - part: which part.
    ///   - row: the row, with everything in it that the parts are bound to.
    ///   - keys: those of the store or backup that the row belongs to.
    /// - Throws: As ``RowKeys/key(_:)``.
    init(_ part: AssociatedData.Part, of row: StoredRow, _ keys: some RowKeys) throws(ProtectionError) {
        self.part = part
        self.row = row
        storeIdentifier = keys.storeIdentifier
        classKey = try keys.key(of: row, part)
    }

    func seal(_ plain: UnsafeRawBufferPointer) throws(ProtectionError) -> [UInt8] {
        try GCM.seal(plain, under: key, associatedData: associatedData)
    }

    /// What `body` makes of the plain bytes, which are lent to it and wiped afterwards.
    ///
    /// - Throws: ``ProtectionError/damagedRow(_:)``, or what `body` throws.
    func open<Result>(
        _ body: (UnsafeRawBufferPointer) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        let sealed = part == .metadata ? row.metadata : row.secret
        guard let opened = try GCM.open(sealed[...], under: key, associatedData: associatedData, body) else {
            throw .damagedRow(part == .metadata ? .metadata : .secret)
        }
        return opened
    }

    private var associatedData: [UInt8] { AssociatedData(part, row, of: storeIdentifier).encoded }

    /// The key of this part of this version of the row.
    var key: SymmetricKey {
        var context: [UInt8] = []
        context.reserveCapacity(52)
        storeIdentifier.withUnsafeBytes { context.append(contentsOf: $0) }
        context += row.itemClass.rawValue.utf8
        row.identifier.withUnsafeBytes { context.append(contentsOf: $0) }
        row.version.withUnsafeBytes { context.append(contentsOf: $0) }
        let purpose = part == .metadata ? "row metadata" : "row secret"
        return KeyDerivation.derive(purpose, from: classKey, context: context)
    }
}
