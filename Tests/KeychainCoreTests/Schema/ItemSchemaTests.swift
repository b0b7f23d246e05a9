// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

/// The facts of Semantics, "Attributes of each class", as tables of their own.
struct ItemSchemaTests {
    private static let commonPrimaryKey: Set<AttributeName> = ["agrp", "sync", "vwht", "tkid", "ggrp"]

    @Test(
        "a class has the primary key of the specification",
        arguments: [
            (.genericPassword, ["acct", "svce"]),
            (.internetPassword, ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"]),
            (.certificate, ["ctyp", "issr", "slnr"]),
            (.key, ["kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat"]),
        ] as [(ItemClass, Set<AttributeName>)]
    )
    func primaryKey(_ itemClass: ItemClass, _ names: Set<AttributeName>) {
        let columns = ItemSchema.of(itemClass).primaryKey
        #expect(Set(columns.map(\.name)) == names.union(Self.commonPrimaryKey))
        #expect(columns.count == names.count + Self.commonPrimaryKey.count)
    }

    @Test(
        "a column has the kind, the comparison and the default of the specification",
        arguments: [
            (.genericPassword, "acct", .blob, true, .string("")),
            (.genericPassword, "svce", .blob, true, .string("")),
            (.genericPassword, "gena", .blob, true, nil),
            (.genericPassword, "labl", .blob, true, nil),
            (.genericPassword, "crtr", .number, false, nil),
            (.genericPassword, "agrp", .string, false, nil),
            (.genericPassword, "sync", .number, false, .number(.integer(0))),
            (.internetPassword, "ptcl", .number, false, .number(.integer(0))),
            (.internetPassword, "port", .number, false, .number(.integer(0))),
            (.internetPassword, "atyp", .blob, true, .string("")),
            (.internetPassword, "path", .blob, true, .string("")),
            (.internetPassword, "bin0", .data, false, nil),
            (.certificate, "ctyp", .number, false, .number(.integer(0))),
            (.certificate, "issr", .data, true, .data([])),
            (.certificate, "slnr", .data, true, .data([])),
            (.certificate, "subj", .data, true, nil),
            (.certificate, "pkhh", .data, false, nil),
            (.key, "kcls", .number, true, .number(.integer(0))),
            (.key, "klbl", .data, false, .data([])),
            (.key, "atag", .blob, true, .string("")),
            (.key, "sdat", .date, false, .date(.referenceDate)),
            (.key, "edat", .date, false, .date(.referenceDate)),
            (.key, "bsiz", .number, false, .number(.integer(0))),
            (.key, "unwp", .number, false, nil),
            (.key, "pdmn", .accessibility, false, nil),
            (.key, "accc", .accessControl, false, nil),
        ] as [(ItemClass, AttributeName, AttributeKind, Bool, AttributeValue?)]
    )
    func column(
        itemClass: ItemClass,
        name: AttributeName,
        kind: AttributeKind,
        comparesBytes: Bool,
        defaultValue: AttributeValue?
    ) throws {
        let column = try #require(ItemSchema.of(itemClass)[name])
        #expect(column.kind == kind)
        #expect(column.comparesBytes == comparesBytes)
        #expect(column.defaultValue == defaultValue)
    }

    @Test(
        "a class lacks the attributes that the specification denies it",
        arguments: [
            (.genericPassword, ["srvr", "atag", "kcls", "issr", "bin0"]),
            (.internetPassword, ["svce", "gena", "atag", "issr"]),
            (.certificate, ["desc", "icmt", "invi", "nega", "gena", "acct", "svce", "crtr", "type", "atag"]),
            (.key, ["desc", "icmt", "invi", "nega", "gena", "acct", "svce", "srvr", "issr"]),
        ] as [(ItemClass, [AttributeName])]
    )
    func absentColumns(_ itemClass: ItemClass, _ names: [AttributeName]) {
        let found = names.filter { ItemSchema.of(itemClass)[$0] != nil }
        #expect(found == [])
    }

    @Test("only certificates are accessible always unless they say otherwise", arguments: ItemClass.stored)
    func defaultAccessibility(_ itemClass: ItemClass) {
        #expect(ItemSchema.of(itemClass).defaultAccessibility == (itemClass == .certificate ? .always : .whenUnlocked))
    }

    @Test("the parts of a schema agree with each other", arguments: ItemClass.stored)
    func consistency(_ itemClass: ItemClass) {
        let schema = ItemSchema.of(itemClass)
        let names = schema.columns.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(schema.primaryKey.map(\.name) == schema.columns.filter(\.isPrimaryKey).map(\.name))
        #expect(schema.searchable.map(\.name) == schema.searchable.map(\.name).sorted())
        let unsearchable = Set(schema.columns.filter { !$0.isSearchable }.map(\.name))
        #expect(unsearchable.isDisjoint(with: schema.primaryKey.map(\.name)))
        #expect(unsearchable.isDisjoint(with: schema.indexes.flatMap(\.self)))
        #expect(Set(schema.indexes.flatMap(\.self)).isSubset(of: names))
        for column in schema.columns { #expect(schema[column.name]?.name == column.name) }
        #expect(schema.columnCount == names.count + 2)
    }

    @Test("what names an item is part of the primary key that its class alone has", arguments: ItemClass.stored)
    func namings(_ itemClass: ItemClass) {
        let schema = ItemSchema.of(itemClass)
        #expect(!schema.namings.isEmpty)
        for naming in schema.namings {
            #expect(Set(naming).isSubset(of: schema.identifyingColumns.map(\.name)))
            #expect(Set(naming).count == naming.count && !naming.isEmpty)
        }
    }

    @Test("an identity may be asked for by the columns of certificates and keys, and is never stored")
    func identity() {
        let schema = ItemSchema.of(.identity)
        for itemClass in [ItemClass.certificate, .key] {
            for column in ItemSchema.of(itemClass).columns { #expect(schema[column.name] != nil) }
        }
        #expect(schema["svce"] == nil)
        #expect(!ItemClass.stored.contains(.identity))
    }
}
