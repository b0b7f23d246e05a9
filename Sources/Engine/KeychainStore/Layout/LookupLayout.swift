// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The tables of lookup attributes of a class (Documentation/Format.md, "Lookup attributes").
enum LookupLayout {
    static let whole = "whole"
    static let face = "face"
    static let item = "item"
    static let tag = "tag"

    static func faces(_ itemClass: ItemClass) -> String { "lookup_\(itemClass.rawValue)" }

    static func tags(_ itemClass: ItemClass) -> String { "lookup_tags_\(itemClass.rawValue)" }

    /// The SQL condition for rows of a class of which nothing is listed.
    static func isUnlisted(_ itemClass: ItemClass) -> String {
        let (faces, items) = (faces(itemClass), Layout.table(itemClass))
        let isSame = [Layout.rowNumber, Layout.version16].map { "\(faces).\($0) = \(items).\($0)" }
        return "NOT EXISTS (SELECT 1 FROM \(faces) WHERE \(isSame.joined(separator: " AND ")))"
    }

    /// The items have the numbers of their rows.
    static func objects(_ itemClass: ItemClass) -> [DeclaredObject] {
        let (faces, tags) = (faces(itemClass), tags(itemClass))
        return [
            DeclaredObject(
                .table,
                faces,
                as:
                    "(\(Layout.rowNumber) INTEGER PRIMARY KEY, \(Layout.version16) BLOB NOT NULL, \(whole) BLOB NOT NULL, "
                    + "\(face) BLOB NOT NULL)"
            ),
            DeclaredObject(.index, "\(faces)_whole", on: faces, as: "(\(whole))"),
            DeclaredObject(
                .table,
                tags,
                as: "(\(Layout.rowNumber) INTEGER PRIMARY KEY, \(item) INTEGER NOT NULL, \(tag) BLOB NOT NULL)"
            ),
            DeclaredObject(.index, "\(tags)_tag", on: tags, as: "(\(tag), \(item))"),
            DeclaredObject(.index, "\(tags)_item", on: tags, as: "(\(item))"),
        ]
    }
}
