// SPDX-License-Identifier: Apache-2.0

/// The attribute tables of Semantics, "Attributes of each class", as data.
enum ColumnTable {
    private static let emptyString = AttributeValue.string("")
    private static let emptyData = AttributeValue.data([])
    private static let zero = AttributeValue.number(.integer(0))
    private static let reference = AttributeValue.date(.referenceDate)

    static let common: [Column] = [
        Column(.accessGroup, .string, primaryKey: true),
        Column(.synchronizable, .number, primaryKey: true, default: zero),
        Column(.viewHint, .string, primaryKey: true),
        Column(.tokenID, .string, primaryKey: true),
        Column(.sharingGroup, .string, primaryKey: true),
        Column(.user, .user, access: .computed, taggedSince: nil),
        Column(.creationDate, .date),
        Column(.modificationDate, .date),
        Column("labl", .blob, hashed: true),
        Column("alis", .blob, hashed: true),
        // Stays in the clear in the row, so that it needs no tag.
        Column(.accessible, .accessibility, taggedSince: nil),
        Column(.accessControl, .accessControl, taggedSince: nil),
        Column(.tombstone, .number, default: zero, access: .computed, taggedSince: nil),
        // A tag of it would reveal when a secret changed, and when it was restored: the item is opened instead.
        Column(.digest, .data, access: .computed, untaggedSince: 0x0300),
        Column("UUID", .string),
        Column(.systemBound, .number, access: .guardedQuery),
        Column(.appClip, .number, access: .forbidden, taggedSince: nil),
        Column("pcss", .number, access: .guardedValue),
        Column("pcsk", .data, access: .guardedValue),
        Column("pcsi", .data, access: .guardedValue),
    ]

    private static let passwordExtras: [Column] = [
        Column("desc", .blob, hashed: true),
        Column("icmt", .blob, hashed: true),
        Column("crtr", .number),
        Column("type", .number),
        Column("invi", .number),
        Column("nega", .number),
        Column("scrp", .number),
        Column("cusi", .number),
        Column("prot", .blob, hashed: true),
    ]

    static let genericPassword: [Column] =
        [
            Column(.account, .blob, primaryKey: true, hashed: true, default: emptyString),
            Column(.service, .blob, primaryKey: true, hashed: true, default: emptyString),
            Column("gena", .blob, hashed: true),
        ] + passwordExtras

    static let internetPassword: [Column] =
        [
            Column(.account, .blob, primaryKey: true, hashed: true, default: emptyString),
            Column("sdmn", .blob, primaryKey: true, hashed: true, default: emptyString),
            Column(.server, .blob, primaryKey: true, hashed: true, default: emptyString),
            Column("ptcl", .number, primaryKey: true, default: zero),
            Column("atyp", .blob, primaryKey: true, hashed: true, default: emptyString),
            Column("port", .number, primaryKey: true, default: zero),
            Column("path", .blob, primaryKey: true, hashed: true, default: emptyString),
        ] + passwordExtras
        + ["binn", "bini", "bin0", "bin1", "bin2", "bin3"].map {
            Column($0, .data, access: .encrypted, taggedSince: nil)
        }

    static let certificate: [Column] = [
        Column("ctyp", .number, primaryKey: true, default: zero),
        Column("cenc", .number),
        Column(.issuer, .data, primaryKey: true, hashed: true, default: emptyData),
        Column("slnr", .data, primaryKey: true, hashed: true, default: emptyData),
        Column("subj", .data, hashed: true),
        Column("skid", .data, hashed: true),
        Column(.publicKeyHash, .data),
    ]

    static let key: [Column] =
        [
            Column("kcls", .number, primaryKey: true, hashed: true, default: zero),
            Column("klbl", .data, primaryKey: true, default: emptyData),
            Column("atag", .blob, primaryKey: true, hashed: true, default: emptyString),
            Column("crtr", .number, primaryKey: true, default: zero),
            Column("type", .number, primaryKey: true, default: zero),
            Column("bsiz", .number, primaryKey: true, default: zero),
            Column("esiz", .number, primaryKey: true, default: zero),
            Column("sdat", .date, primaryKey: true, default: reference),
            Column("edat", .date, primaryKey: true, default: reference),
        ]
        + [
            "perm", "priv", "modi", "sens", "asen", "extr", "next", "encr", "decr", "drve", "sign", "vrfy", "snrc",
            "vyrc", "wrap", "unwp",
        ].map { Column($0, .number) }
}
