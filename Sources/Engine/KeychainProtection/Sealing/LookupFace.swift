// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore

/// What is known of an item with lookup attributes without its own keys: after the first unlock, also while the device
/// is locked (Documentation/Format.md, "Lookup attributes").
package struct LookupFace: Sendable, Hashable {
    /// The lookup attributes, and the content type of the secret.
    package var record: LookupRecord
    /// The label.
    package var label: String
    /// When the item was created, and when it was changed.
    package var created: Timestamp?
    package var modified: Timestamp?

    /// The face of an item; `nil` for one without lookup attributes.
    package init?(_ attributes: Attributes) {
        guard let record = attributes.lookupRecord else { return nil }
        self.record = record
        label = attributes.labelText
        (created, modified) = (attributes.creationDate, attributes.modificationDate)
    }

    /// Reads what ``encoded`` gave; `nil` for any other bytes.
    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes[...])
        do throws(ByteReader.Truncated) {
            (created, modified) = (try Self.date(&reader), try Self.date(&reader))
            guard let label = try reader.text(),
                let record = LookupRecord(Array(try reader.readRemainingBytes()))
            else { return nil }
            (self.label, self.record) = (label, record)
        } catch {
            return nil
        }
    }

    /// The dates, the label after its length, and the record.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for date in [created, modified] {
            bytes.append(littleEndian: (date?.secondsSinceReferenceDate ?? .nan).bitPattern)
        }
        bytes.appendText(label)
        return bytes + record.encoded
    }

    private static func date(_ reader: inout ByteReader) throws(ByteReader.Truncated) -> Timestamp? {
        let seconds = Double(bitPattern: try reader.integer(UInt64.self))
        return seconds.isNaN ? nil : Timestamp(secondsSinceReferenceDate: seconds)
    }
}

/// Seals and opens the face of one version of one row.
private struct SealedFace {
    private let key: SymmetricKey
    private let associatedData: [UInt8]

    init(of row: StoredRow, wholeTag: SearchTag, keys: some RowKeys) throws(ProtectionError) {
        let identifier = keys.storeIdentifier
        // Under the keys that are there after the first unlock, or earlier if those of the row are.
        let protection = Accessibility(rawValue: row.protection)
        let level = protection?.isAlwaysAvailable ?? false ? protection : nil
        key = KeyDerivation.derive(
            "lookup face",
            from: try keys.key(.metadataKey(level ?? .afterFirstUnlock))
        ) { context in row.appendVersion(of: identifier, to: &context) }
        var data: [UInt8] = [0x4C, FileFormat.number]
        row.appendVersion(of: identifier, to: &data)
        associatedData = data + wholeTag.bytes
    }

    func seal(_ face: LookupFace) throws(ProtectionError) -> [UInt8] {
        var plain = face.encoded
        defer { plain.wipe() }
        return try plain.withUnsafeBufferPointer { (plain) throws(ProtectionError) in
            try GCM.seal(UnsafeRawBufferPointer(plain), under: key, associatedData: associatedData)
        }
    }

    func open(_ sealed: [UInt8]) -> LookupFace? {
        GCM.open(sealed[...], under: key, associatedData: associatedData)
            .flatMap { LookupFace($0.unprotectedCopy) }
    }
}

extension RowKeys {
    /// What the store lists of a row with these attributes; `nil` for one without lookup attributes, and in a backup.
    func listed(_ row: StoredRow, _ attributes: Attributes) throws(ProtectionError) -> ListedLookup? {
        guard listsLookupAttributes, LookupMapping.has(row.itemClass), !row.isTombstone,
            let face = LookupFace(attributes)
        else { return nil }
        let tags = LookupTags(try key(.index), of: storeIdentifier)
        let wholeTag = tags.wholeTag(face.record.attributes, in: row.itemClass)
        return ListedLookup(
            wholeTag: wholeTag,
            pairTags: face.record.attributes.pairs.map { tags.tag($0, in: row.itemClass) },
            face: try SealedFace(of: row, wholeTag: wholeTag, keys: self).seal(face)
        )
    }
}

extension Sealer {
    /// The tags of lookup attributes for one operation; works in every lock state.
    package func lookupTags() throws(ProtectionError) -> LookupTags {
        LookupTags(try key(.index), of: storeIdentifier)
    }

    /// What a store should list of a row that was opened.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)``.
    package func listed(_ row: StoredRow, _ metadata: OpenedMetadata) throws(ProtectionError) -> ListedLookup? {
        try listed(row, metadata.attributes)
    }

    /// Opens the face that is listed for a row.
    ///
    /// - Returns: `nil` if its keys are not available now, or if it is not that of this version of the row.
    package func openFace(_ sealed: [UInt8], wholeTag: SearchTag, of row: StoredRow) -> LookupFace? {
        try? SealedFace(of: row, wholeTag: wholeTag, keys: self).open(sealed)
    }
}
