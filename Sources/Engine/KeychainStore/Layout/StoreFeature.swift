// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What a store can have beyond the first revision of its format, and which programs can use a store that has it
/// (Documentation/Format.md, "Features").
///
/// The first use takes the store to the revision of the feature, in the transaction of the change that needs it; the
/// end of the last use takes it back. A feature is never changed after its release.
package struct StoreFeature: Sendable, Hashable {
    /// The name that the file records: lower-case letters, digits and hyphens.
    package let name: String

    /// What it is, in words.
    package let title: String

    /// The revision whose programs know it first, and those whose programs may read and change a store that uses it.
    package let version: FileVersion

    /// The tables and indexes that belong to it.
    let objects: [DeclaredObject]

    /// How a store stops using it.
    package let removal: UsedFeature.Removal

    /// - Parameters:
    ///   - name: the name that the file records.
    ///   - title: what it is, in words.
    ///   - revision: the first revision whose programs know it.
    ///   - readerRevision: the first revision whose programs may read a store that uses it.
    ///   - writerRevision: the first revision whose programs may change it: those that leave the feature right.
    ///   - objects: the tables and indexes that belong to it.
    ///   - removal: how a store stops using it.
    init(
        _ name: String,
        title: String,
        revision: UInt8,
        readerRevision: UInt8,
        writerRevision: UInt8,
        objects: [DeclaredObject] = [],
        removal: UsedFeature.Removal
    ) {
        self.name = name
        self.title = title
        version = FileVersion(revision: revision, readerRevision: readerRevision, writerRevision: writerRevision)
        self.objects = objects
        self.removal = removal
    }

    /// The feature as the status of a store lists it.
    var used: UsedFeature { UsedFeature(name: name, title: title, version: version, removal: removal) }
}

extension FileVersion {
    /// Whether a store of this version may use a feature: it would have its revision, or a later one.
    package func mayUse(_ feature: StoreFeature) -> Bool { revision >= feature.version.revision }
}

extension StoreFeature {
    /// The features of this program.
    package static let all = [groupIndex, recoveryKey, lookupAttributes, lookupListing, fileLookups, history]

    /// The feature of a name; `nil` for one of a later program.
    static func named(_ name: String) -> StoreFeature? { all.first { $0.name == name } }

    /// An index of access groups, for a store with many items: a program that lists the items of its own group would
    /// read those of all others.
    ///
    /// Earlier programs may read and change the store, because SQLite keeps the index up to date.
    package static let groupIndex = StoreFeature(
        "group-index",
        title: "an index of access groups",
        revision: 1,
        readerRevision: 0,
        writerRevision: 0,
        objects: ItemClass.stored.map { itemClass in
            let (table, column) = (Layout.table(itemClass), Layout.column(.accessGroup))
            return DeclaredObject(.index, "\(table)_agrp", on: table, as: "(\(column))")
        },
        removal: .automatic
    )
}

extension StoreFeature {
    /// A recovery key: a slot of the keybag, which earlier programs refuse as damaged, and would leave out of the next
    /// keybag.
    package static let recoveryKey = StoreFeature(
        "recovery-key",
        title: "a recovery key",
        revision: 1,
        readerRevision: 1,
        writerRevision: 1,
        removal: .command("keychainctl recovery-key remove")
    )
}

extension StoreFeature {
    /// Lookup attributes: tables beside the items that have them, which earlier programs would not keep right.
    ///
    /// Downgrading would leave items that no search of the Secret Service finds any more.
    package static let lookupAttributes = StoreFeature(
        "lookup-attributes",
        title: "items with lookup attributes of the Secret Service",
        revision: 2,
        readerRevision: 0,
        writerRevision: 2,
        objects: LookupMapping.classes.flatMap(LookupLayout.objects),
        removal: .command("secret-tool clear")
    )

    /// Rows that came from elsewhere without what is listed of them, which the next unlock adds.
    package static let lookupListing = StoreFeature(
        "lookup-listing",
        title: "lookup attributes of items that are to be listed at the next unlock",
        revision: 2,
        readerRevision: 0,
        writerRevision: 2,
        removal: .automatic
    )
}

extension StoreFeature {
    /// Lookup attributes in a keychain file: nothing is listed beside the items, but they are in the digest to which
    /// each secret is bound, so that earlier programs would take the item for an altered one.
    package static let fileLookups = StoreFeature(
        "file-lookup-attributes",
        title: "items with lookup attributes of the Secret Service, in a keychain file",
        revision: 2,
        readerRevision: 2,
        writerRevision: 2,
        removal: .command("secret-tool clear")
    )
}

extension StoreFeature {
    /// Former values of items, which are among their attributes: earlier programs read over them, but would keep no
    /// further ones, put them into backups, and leave them unreadable where an item gets another accessibility.
    package static let history = StoreFeature(
        "history",
        title: "former values of items",
        revision: 3,
        readerRevision: 0,
        writerRevision: 3,
        objects: [HistoryLayout.table],
        removal: .command("keychainctl history keep 0 --all")
    )
}

/// A table or an index of a feature, as `sqlite_schema` has it.
struct DeclaredObject: Sendable, Hashable {
    enum Kind: String {
        case table
        case index
    }

    let kind: Kind
    let name: String
    private let table: String
    /// The statement that makes it.
    let creation: String

    /// - Parameters:
    ///   - kind: the kind.
    ///   - name: the name.
    ///   - table: the table of an index.
    ///   - definition: what follows the name and the table, in SQL.
    init(_ kind: Kind, _ name: String, on table: String? = nil, as definition: String) {
        self.kind = kind
        self.name = name
        self.table = table ?? name
        let place = table.map { " ON \($0)" } ?? ""
        creation = "CREATE \(kind.rawValue.uppercased()) \(name)\(place) \(definition)"
    }

    /// The statement that removes it.
    var removal: String { "DROP \(kind.rawValue.uppercased()) \(name)" }

    /// The declaration as ``Declarations`` compares it.
    var declaration: String { "\(kind.rawValue) \(name) \(table) \(creation)" }
}
