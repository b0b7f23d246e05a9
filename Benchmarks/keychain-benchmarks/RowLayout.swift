// SPDX-License-Identifier: Apache-2.0

/// How the rows of a keychain's file look: which columns are filled, how long the sealed parts are.
struct RowLayout {
    /// Inserts a row like the others; its parameters are the columns of `drawn`, in that order.
    let insertion: String

    private let metadataLength: Int
    private let associatedDataLength: Int

    /// The columns that differ from row to row.
    private static let drawn = [
        "uuid", "version", "pk", "metadata", "secret", "t_acct", "t_labl", "t_svce", "t_cdat", "t_mdat",
    ]

    init(_ database: Database) throws {
        metadataLength = try database.integer("SELECT CAST(avg(length(metadata)) AS INTEGER) FROM items_genp")
        let description = try database.prepare("SELECT name FROM pragma_table_info('items_genp')")
        var columns: [String] = []
        while try description.step() { columns.append(description.text(0)) }
        // Documentation/Format.md, "Associated data": 20 bytes for each tag that a row has.
        let tags = columns.filter { $0.hasPrefix("t_") }.map { "(\($0) IS NOT NULL)" }.joined(separator: " + ")
        associatedDataLength = 83 + 20 * (try database.integer("SELECT \(tags) FROM items_genp WHERE id = 1"))
        columns.removeAll { $0 == "id" || Self.drawn.contains($0) }
        // Every other column has the same value in every row.
        let quoted = columns.map { "quote(\($0))" }.joined(separator: ", ")
        let sample = try database.prepare("SELECT \(quoted) FROM items_genp WHERE id = 1")
        guard try sample.step() else { throw Failure("the store is empty") }
        let values = Self.drawn.map { _ in "?" } + columns.indices.map(sample.text)
        insertion = """
            INSERT INTO items_genp (\((Self.drawn + columns).joined(separator: ", ")))
            VALUES (\(values.joined(separator: ", ")))
            """
    }

    /// What a row is bound to, as long as the keychain's.
    func associatedData(_ identifier: [UInt8], _ version: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: associatedDataLength) { buffer, count in
            buffer.initialize(repeating: 0)
            for (index, byte) in identifier.enumerated() { buffer[index] = byte }
            for (index, byte) in version.enumerated() { buffer[identifier.count + index] = byte }
            count = associatedDataLength
        }
    }

    /// A row to seal, so that it becomes as long as the keychain's.
    func plain(_ secret: [UInt8]) -> PlainRow {
        // Documentation/Format.md, "Padding", for a short one.
        let padding = [UInt8](repeating: 0, count: 32 - secret.count % 32)
        return PlainRow(
            metadata: Array(repeating: 0x61, count: metadataLength - Sealer.overhead),
            secret: secret + padding
        )
    }

    /// A row as long as a sealed one.
    func padded(_ row: PlainRow) -> PlainRow {
        PlainRow(
            metadata: row.metadata + Array(repeating: 0, count: max(0, metadataLength - row.metadata.count)),
            secret: Array(repeating: 0, count: Sealer.overhead) + row.secret
        )
    }
}

/// The two parts of a row.
struct PlainRow {
    var metadata: [UInt8]
    var secret: [UInt8]
}
