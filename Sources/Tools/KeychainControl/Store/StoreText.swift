// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The versions of a store, as text and as JSON.
enum StoreText {
    /// Lines of a name and a value, and one for each feature.
    static func plain(_ status: StoreStatus) -> String {
        guard let file = status.file else {
            return StatusRows.text([("Format", "there is no keychain yet"), ("Program", program(status.program))])
        }
        var rows = [
            ("Format", FileFormat.text(of: file.version)),
            ("Read since", text(file, file.readerRevision)), ("Changed since", text(file, file.writerRevision)),
            ("Program", program(status.program)),
        ]
        if status.features.isEmpty { rows.append(("Features", "none of a later revision than the first")) }
        return ([StatusRows.text(rows)] + status.features.map { "Feature:          " + line($0) })
            .joined(separator: "\n")
    }

    /// What became of the store.
    static func plain(_ outcome: StoreDowngrade) -> String {
        let version = FileFormat.text(of: outcome.version.version)
        guard outcome.obstacles.isEmpty else {
            let list = outcome.obstacles.map { feature in
                switch feature.removal {
                case .command(let command): "  \(line(feature)); to end it: \(command)"
                case .unknown: "  \(line(feature)); the program that began to use it ends it"
                case .automatic: "  \(line(feature))"
                }
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
        JSONValue.object([
            "format": text(status.file) { $0.version & 0xFF },
            "readers": text(status.file) { UInt16($0.readerRevision) },
            "writers": text(status.file) { UInt16($0.writerRevision) },
            "program": .string(FileFormat.text(of: status.program)),
            "features": .array(status.features.map(object)),
        ])
        .indentedText
    }

    /// A JSON object.
    static func json(_ outcome: StoreDowngrade) -> String {
        JSONValue.object([
            "former": .string(FileFormat.text(of: outcome.former.version)),
            "format": .string(FileFormat.text(of: outcome.version.version)),
            "removed": .array(outcome.removed.map(object)), "obstacles": .array(outcome.obstacles.map(object)),
        ])
        .indentedText
    }

    private static func object(_ feature: UsedFeature) -> JSONValue {
        var command = JSONValue.null
        if case .command(let text) = feature.removal { command = .string(text) }
        return .object([
            "name": .string(feature.name), "title": feature.title.map { .string($0) } ?? .null,
            "format": .string(FileFormat.text(of: feature.version.version)),
            "readers": .string(text(feature.version, feature.version.readerRevision)),
            "writers": .string(text(feature.version, feature.version.writerRevision)),
            "isRemovedAutomatically": .boolean(feature.removal == .automatic), "removal": command,
        ])
    }

    private static func text(_ version: FileVersion?, _ revision: (FileVersion) -> UInt16) -> JSONValue {
        guard let version else { return .null }
        return .string(FileFormat.text(of: version.version & 0xFF00 | revision(version)))
    }

    private static func line(_ feature: UsedFeature) -> String {
        "\(feature.name)\(feature.title.map { ", \($0)" } ?? ""): format \(feature.version)"
    }

    private static func program(_ version: UInt16) -> String {
        "\(ProductVersion.text), format \(FileFormat.text(of: version))"
    }

    private static func text(_ version: FileVersion, _ revision: UInt8) -> String {
        FileFormat.text(of: version.version & 0xFF00 | UInt16(revision))
    }
}
