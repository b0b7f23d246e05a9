// SPDX-License-Identifier: Apache-2.0

/// The attributes that are conditions of a search of file-based keychains; all others are ignored (Semantics,
/// "Searching file-based keychains").
package enum FileSearchAttributes {
    /// Those of a class.
    package static func of(_ itemClass: ItemClass) -> Set<String> { table[itemClass] ?? [] }

    private static let table: [ItemClass: Set<String>] = [
        .genericPassword: [
            "cdat", "mdat", "desc", "icmt", "crtr", "type", "labl", "invi", "nega", "acct", "svce", "gena",
        ],
        .internetPassword: [
            "srvr", "sdmn", "acct", "path", "port", "ptcl", "atyp", "icmt", "desc", "labl", "crtr", "type", "invi",
            "nega",
        ],
        .certificate: ["labl", "subj", "issr", "slnr", "pkhh", "skid", "ctyp", "cenc"],
        .key: [
            "kcls", "labl", "perm", "klbl", "atag", "type", "bsiz", "esiz", "encr", "decr", "drve", "sign", "vrfy",
            "wrap", "unwp",
        ],
    ]

    /// The numbers of internet passwords that must be given as a number, a Boolean or a decimal string.
    package static let numbersOfInternetPasswords: Set<String> = ["crtr", "type", "port"]
}
