// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The versions of a store, as text and as JSON.
enum StoreText {
    /// Lines of a name and a value, and one for each feature.
    static func plain(_ status: StoreStatus) -> String {
        let program = ("Program knows", FileFormat.text(of: status.program))
        guard let file = status.file else {
            return StatusRows.text([("Format", "there is no keychain yet"), program])
        }
        let features = status.features.map { feature in
            let version = feature.version
            let (readers, writers) = (
                FileFormat.text(of: version.readerVersion), FileFormat.text(of: version.writerVersion)
            )
            return (
                "Feature", "\(title(feature)): since \(version.text), read since \(readers), changed since \(writers)"
            )
        }
        return StatusRows.text(
            [
                ("Format", file.text), ("Read since", FileFormat.text(of: file.readerVersion)),
                ("Changed since", FileFormat.text(of: file.writerVersion)), program,
            ] + (features.isEmpty ? [("Features", "none")] : features)
        )
    }

    /// What became of the store.
    static func plain(_ outcome: StoreDowngrade) -> String {
        let version = outcome.version.text
        guard outcome.obstacles.isEmpty else {
            let list = outcome.obstacles.map { feature in
                let end =
                    switch feature.removal {
                    case .command(let command): "; to end it: \(command)"
                    case .unknown: "; the program that began to use it ends it"
                    case .automatic: ""
                    }
                return "  \(title(feature)), since \(feature.version.text)\(end)"
            }
            return (["The store keeps format \(version). In use, and not in the revision:"] + list)
                .joined(separator: "\n")
        }
        if outcome.removed.isEmpty { return "The store has format \(version) already." }
        let removed = outcome.removed.map { $0.title ?? $0.name }.joined(separator: ", ")
        return "The store has format \(version) now. Left out: \(removed)."
    }

    /// A JSON object; `nil` values are `null`.
    static func json(_ status: StoreStatus) -> String {
        JSONValue.object(
            versions(status.file).merging([
                "program": .string(FileFormat.text(of: status.program)),
                "features": .array(status.features.map(object)),
            ]) { $1 }
        )
        .indentedText
    }

    /// A JSON object.
    static func json(_ outcome: StoreDowngrade) -> String {
        JSONValue.object([
            "former": .string(outcome.former.text), "format": .string(outcome.version.text),
            "removed": .array(outcome.removed.map(object)), "obstacles": .array(outcome.obstacles.map(object)),
        ])
        .indentedText
    }

    private static func object(_ feature: UsedFeature) -> JSONValue {
        var command = JSONValue.null
        if case .command(let text) = feature.removal { command = .string(text) }
        return .object(
            versions(feature.version).merging([
                "name": .string(feature.name), "title": feature.title.map { .string($0) } ?? .null,
                "isRemovedAutomatically": .boolean(feature.removal == .automatic), "removal": command,
            ]) { $1 }
        )
    }

    private static func versions(_ version: FileVersion?) -> [String: JSONValue] {
        func text(_ version: UInt16?) -> JSONValue { version.map { .string(FileFormat.text(of: $0)) } ?? .null }
        return [
            "format": text(version?.version), "readers": text(version?.readerVersion),
            "writers": text(version?.writerVersion),
        ]
    }

    private static func title(_ feature: UsedFeature) -> String {
        "\(feature.name)\(feature.title.map { ", \($0)" } ?? "")"
    }
}
