// SPDX-License-Identifier: Apache-2.0

/// What a program of format 3.0 knows of a store, written down when that was the only revision.
///
/// This table is never brought up to date with the package's own: it is what a program has that was built then.
enum FormerLayout {
    /// The format and the revision of the program.
    static let (format, revision): (Int64, Int64) = (3, 0)

    /// The tables of item classes, and the columns of search tags in each.
    static let tags: [String: [String]] = [
        "genp": [
            "UUID", "acct", "agrp", "alis", "cdat", "crtr", "cusi", "desc", "gena", "ggrp", "icmt", "invi", "labl",
            "mdat",
            "nega", "pcsi", "pcsk", "pcss", "prot", "scrp", "svce", "sync", "sysb", "tkid", "type", "vwht",
        ]
    ]

    /// The columns of the primary key of a generic password, in their order.
    static let primaryKey = ["acct", "svce", "agrp", "sync", "vwht", "tkid", "ggrp"]

    /// The columns of every item table but the tags.
    static let columns = [
        "uuid", "protection", "tombstone", "generation", "version", "pk", "metadata", "secret",
    ]

    /// Whether the value of `user_version` lets the program read the store, and change it; `nil` for another format.
    static func rights(_ recorded: Int64) -> (reads: Bool, changes: Bool)? {
        guard recorded >> 8 & 0xFF == format else { return nil }
        let reads = recorded >> 24 & 0xFF <= revision
        return (reads, reads && recorded >> 16 & 0xFF <= revision)
    }

    /// A version as people write it.
    static func text(_ recorded: Int64) -> String { "\(recorded >> 8 & 0xFF).\(recorded & 0xFF)" }
}
