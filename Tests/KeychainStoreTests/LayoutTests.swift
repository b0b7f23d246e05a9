// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainStore

/// The tables of a released version never change (Documentation/Format.md, "Tables").
struct LayoutTests {
    /// The tag columns of version 2.0, in their order.
    private static let tagColumns: [ItemClass: String] = [
        .genericPassword: """
        UUID acct agrp alis cdat crtr cusi desc gena ggrp icmt invi labl mdat nega pcsi pcsk pcss prot \
        scrp sha1 svce sync sysb tkid type vwht
        """,
        .internetPassword: """
        UUID acct agrp alis atyp cdat crtr cusi desc ggrp icmt invi labl mdat nega path pcsi pcsk pcss \
        port prot ptcl scrp sdmn sha1 srvr sync sysb tkid type vwht
        """,
        .certificate: """
        UUID agrp alis cdat cenc ctyp ggrp issr labl mdat pcsi pcsk pcss pkhh sha1 skid slnr subj sync \
        sysb tkid vwht
        """,
        .key: """
        UUID agrp alis asen atag bsiz cdat crtr decr drve edat encr esiz extr ggrp kcls klbl labl mdat \
        modi next pcsi pcsk pcss perm priv sdat sens sha1 sign snrc sync sysb tkid type unwp vrfy vwht \
        vyrc wrap
        """,
    ]

    /// The indexes of version 2.0 that make searches faster.
    private static let indexes: [ItemClass: [String]] = [
        .genericPassword: ["svce acct", "acct", "labl"],
        .internetPassword: ["srvr acct", "acct", "labl"],
        .certificate: ["issr slnr", "subj", "skid", "pkhh", "labl"],
        .key: ["klbl", "atag", "labl"],
    ]

    @Test("version 2.0 has the tag columns that it had when it was released", arguments: ItemClass.stored)
    func columns(_ itemClass: ItemClass) throws {
        #expect(
            try Self.tagColumns(itemClass, 0x0200).joined(separator: " ") == Self.tagColumns[itemClass],
            "a later one needs a revision and a migration"
        )
        let names = ItemSchema.of(itemClass).searchable.map(\.name.description)
        #expect(try Self.tagColumns(itemClass, Layout.version) == names)
    }

    @Test("version 3.0 has no tag of the digest, and else the same", arguments: ItemClass.stored)
    func withoutDigest(_ itemClass: ItemClass) throws {
        let names = try Self.tagColumns(itemClass, 0x0300).joined(separator: " ")
        #expect(names == Self.tagColumns[itemClass]?.replacing("sha1 ", with: ""))
        #expect(Layout.itemTable(itemClass, 0x0300)[0].contains("former BLOB"))
        #expect(!Layout.itemTable(itemClass, 0x0200)[0].contains("former"))
    }

    /// The names of the tag columns that a version makes: those that a backup of it is read with.
    private static func tagColumns(_ itemClass: ItemClass, _ version: UInt16) throws -> [String] {
        try #require(Layout.itemTable(itemClass, version).first).matches(of: /t_(....) BLOB/).map { String($0.1) }
    }

    @Test("version 2.0 has the indexes that it had when it was released", arguments: ItemClass.stored)
    func indexes(_ itemClass: ItemClass) {
        let names = ItemSchema.of(itemClass).indexes.map { $0.map(\.description).joined(separator: " ") }
        #expect(names == Self.indexes[itemClass])
    }

    @Test("no column is of a version to come", arguments: ItemClass.stored)
    func versions(_ itemClass: ItemClass) {
        for column in ItemSchema.of(itemClass).searchable {
            #expect(column.taggedSince.map { $0 <= FileFormat.version } == true, "\(column.name)")
        }
    }
}
