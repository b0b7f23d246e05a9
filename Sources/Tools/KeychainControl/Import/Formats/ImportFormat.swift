// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

/// Files of passwords that are read.
enum ImportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case json
    case csv
    case pass
    case keepassXML = "keepassxc-xml"
    case keepassCSV = "keepassxc-csv"
    case bitwarden
    case onePux = "1pux"
    case onePasswordCSV = "1password-csv"
    case appleCSV = "apple-csv"
    case chromiumCSV = "chromium-csv"
    case firefoxCSV = "firefox-csv"
    case env
    case netrc

    /// All of them, for a message.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// What is known of files of one of these formats.
    struct Options {
        /// The service of what has no name but that of a variable.
        var service: String?
    }

    /// The items of a file that is one of them, by its content.
    ///
    /// - Parameters:
    ///   - contents: the file.
    ///   - format: the only format that it may have; `nil` for any.
    ///   - options: what is known besides.
    /// - Returns: The format, and the items.
    /// - Throws: ``Refusal`` for any other file, and for one with a mistake; it repeats no secret.
    static func read(
        _ contents: SecretBytes,
        as format: ImportFormat?,
        _ options: Options = Options()
    ) throws(Refusal) -> (format: ImportFormat, file: ImportedPasswords) {
        if contents.withUnsafeBytes({ $0.starts(with: "PK".utf8) }) {
            try check(.onePux, format)
            return (.onePux, try OnePasswordArchive.file(contents))
        }
        let text = try ImportedText.read(contents)
        let recognized = try Self.format(of: text, expecting: format)
        try check(recognized, format)
        switch recognized {
        case .json: return (.json, try PasswordDocument.file(json(text)))
        case .bitwarden: return (.bitwarden, try BitwardenExport.file(json(text)))
        case .csv: return (.csv, try PasswordTable.file(CSVTable(text)))
        case .keepassXML: return (.keepassXML, try KeePassDocument.file(text))
        case .env: return (.env, try variables(text, options.service))
        case .netrc: return (.netrc, try NetrcText.file(text))
        case .keepassCSV, .onePasswordCSV, .appleCSV, .chromiumCSV, .firefoxCSV:
            let table = try CSVTable(text)
            guard let known = LoginTable.all.first(where: { $0.format == recognized && $0.isHeader(table.header) })
            else { throw LoginTable.unknown(table.header) }
            return (recognized, known.file(table))
        case .pass, .onePux: throw Refusal("the file is none of \(names)")
        }
    }

    private static func check(_ recognized: ImportFormat, _ expected: ImportFormat?) throws(Refusal) {
        guard let expected, expected != recognized else { return }
        throw Refusal("the file is not of the format \(expected.rawValue), but of \(recognized.rawValue)")
    }

    /// What the content of a file says that it is.
    private static func format(of text: String, expecting format: ImportFormat?) throws(Refusal) -> ImportFormat {
        let start = text.unicodeScalars.first { !$0.properties.isWhitespace }
        switch start {
        case nil: throw Refusal("the file is empty")
        case "<": return .keepassXML
        case "{", "[": return try jsonFormat(json(text))
        default: break
        }
        let header = CSVTable.header(of: text) ?? []
        if let table = LoginTable.all.first(where: { $0.isHeader(header) }) { return table.format }
        if PasswordTable.isHeader(header) { return .csv }
        if NetrcText.isOne(text) { return .netrc }
        let variables = try? EnvironmentFile.parse(SecretBytes(Array(text.utf8)), name: "")
        if variables?.isEmpty == false { return .env }
        if format == .env || format == .netrc { return format ?? .env }
        guard header.count > 1 else { throw Refusal("the file is none of \(names)") }
        throw LoginTable.unknown(header)
    }

    private static func json(_ text: String) throws(Refusal) -> JSONValue {
        do { return try JSONParser.parse(text.utf8, limitsMarks: false) } catch {
            throw Refusal("the file is no JSON: \(error)")
        }
    }

    private static func jsonFormat(_ value: JSONValue) throws(Refusal) -> ImportFormat {
        if value["format"].string == PasswordDocument.name { return .json }
        if value["encrypted"].boolean == true {
            throw Refusal("this is an encrypted export of Bitwarden; export as '.json' without encryption there")
        }
        if value["items"].elements != nil, value["encrypted"].boolean == false { return .bitwarden }
        let names = (value.members ?? [:]).keys.sorted().prefix(10).map(\.printable).joined(separator: ", ")
        throw Refusal("no known program writes JSON with these members: \(names.isEmpty ? "none" : names)")
    }

    private static func variables(_ text: String, _ service: String?) throws(Refusal) -> ImportedPasswords {
        var file = ImportedPasswords()
        let variables = try EnvironmentFile.parse(SecretBytes(Array(text.utf8)), name: "the file")
        for variable in variables {
            // It is in another place already.
            guard !SecretReference.isReference(variable.value) else {
                file.leaveOut("reference to a password")
                continue
            }
            let name = service.map { ($0, variable.name) } ?? (variable.name, "")
            var item = ImportedItem(
                service: name.0,
                account: name.1,
                secret: SecretBytes(Array(variable.value.utf8)),
                place: "variable \(variable.name)"
            )
            item.attributes[.label] = .string(variable.name)
            file.items.append(item)
        }
        return file
    }
}
