// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import FoundationEssentials
import KeychainCore

/// Passwords with everything that the keychain has of them, as JSON (Documentation/Items.md, "Import and export").
enum PasswordDocument {
    /// Its member `format`.
    static let name = "swift-keychain passwords"

    /// Its member `version`.
    static let version = 1

    /// A document of items.
    static func text(_ items: [ExportedItem]) -> String {
        let document: JSONValue = .object([
            "format": .string(name), "version": .integer(version), "items": .array(items.map(object)),
        ])
        return document.indentedText + "\n"
    }

    private static let times: [(name: String, attribute: AttributeName)] = [
        ("created", .creationDate), ("modified", .modificationDate),
    ]

    private static func object(_ item: ExportedItem) -> JSONValue {
        var members: [String: JSONValue] = [
            "class": .string(item.entry.passwordClass.rawValue),
            "attributes": .object(item.attributes.mapValues(value)),
        ]
        set(item.secret, as: "password", in: &members)
        // For people: an add sets the times of an item, whatever it is given (Semantics, "Adding items").
        for (name, attribute) in times {
            if let date = item.entry.date(attribute) { members[name] = .string(TimeText.text(date)) }
        }
        if let lookup = item.lookup {
            let pairs = lookup.attributes.pairs.map { JSONValue.strings([$0.name, $0.value]) }
            members["secretService"] = .object([
                "contentType": .string(lookup.contentType), "attributes": .array(pairs),
            ])
        }
        return .object(members)
    }

    private static func set(_ bytes: SecretBytes, as name: String, in members: inout [String: JSONValue]) {
        if let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) {
            members[name] = .string(text)
        } else {
            members["\(name)Base64"] = .string(Data(bytes.unprotectedCopy).base64EncodedString())
        }
    }

    private static func value(_ value: PropertyValue) -> JSONValue {
        switch value {
        case .string(let text): return .string(text)
        case .boolean(let flag): return .boolean(flag)
        case .number(.integer(let number)): return .integer(Int(number))
        case .number(.real(let number)): return .real(number)
        case .number(.unsigned(let number)): return .string("\(number)")
        case .date(let date): return .object(["date": .real(date.secondsSinceReferenceDate)])
        case .data(let bytes):
            return .object(["base64": .string(Data(bytes.unprotectedCopy).base64EncodedString())])
        case .accessControl(let control):
            let flags = control.constraints?.flags.rawValue ?? 0
            return .object([
                "accessible": .string(control.protection.rawValue), "flags": .integer(Int(clamping: flags)),
            ])
        default: return .null
        }
    }

    /// The items of a document.
    ///
    /// - Throws: ``Refusal`` for another version.
    static func file(_ document: JSONValue) throws(Refusal) -> ImportedPasswords {
        let version = document["version"].integer
        guard version == Self.version else {
            throw Refusal(
                "the file has version \(version.map { "\($0)" } ?? "none") of the format; this program reads "
                    + "\(Self.version)"
            )
        }
        guard let items = document["items"].elements else { throw Refusal("the file has no items") }
        var file = ImportedPasswords()
        for (number, object) in zip(1..., items) {
            let place = "item \(number)"
            do throws(Refusal) { file.items.append(try item(object, place)) } catch {
                file.refused.append((place, "\(error)"))
            }
            file.leaveOut("time", times.count { object[$0.name].string != nil })
        }
        return file
    }

    private static func item(_ object: JSONValue, _ place: String) throws(Refusal) -> ImportedItem {
        guard let passwordClass = object["class"].string.flatMap(PasswordClass.init(rawValue:)) else {
            throw Refusal("it is of no class that is known")
        }
        let secret: SecretBytes
        if let text = object["password"].string {
            secret = SecretBytes(Array(text.utf8))
        } else if let bytes = object["passwordBase64"].string.flatMap(bytes) {
            secret = bytes
        } else {
            throw Refusal("it has no password")
        }
        var item = ImportedItem(service: "", account: "", secret: secret, place: place)
        item.itemClass = passwordClass.itemClass
        let schema = ItemSchema.of(item.itemClass)
        for (key, json) in object["attributes"].members ?? [:] {
            guard let name = AttributeName(key), let column = schema[name], column.access != .computed,
                let value = property(json)
            else { throw Refusal("an attribute is not known, or has a value that it cannot have") }
            item.attributes[name] = value
        }
        func text(_ name: AttributeName) -> String {
            switch item.attributes[name] {
            case .string(let text)?: text
            case .data(let bytes)?: String(decoding: bytes.unprotectedCopy, as: UTF8.self)
            default: ""
            }
        }
        (item.service, item.account) = (text(passwordClass.service), text(.account))
        if let service = object["secretService"].members { item.lookup = try record(service) }
        return item
    }

    private static func record(_ members: [String: JSONValue]) throws(Refusal) -> LookupRecord {
        var pairs: [LookupAttributes.Pair] = []
        for pair in members["attributes"]?.elements ?? [] {
            guard let texts = pair.elements?.compactMap(\.string), texts.count == 2 else {
                throw Refusal("an attribute of the Secret Service is no pair of texts")
            }
            pairs.append(LookupAttributes.Pair(texts[0], texts[1]))
        }
        do throws(KeychainError) {
            return LookupRecord(
                try LookupAttributes(pairs),
                contentType: members["contentType"]?.string ?? "text/plain"
            )
        } catch { throw Refusal(error) }
    }

    private static func bytes(_ text: String) -> SecretBytes? {
        Data(base64Encoded: text).map { SecretBytes(Array($0)) }
    }

    private static func property(_ json: JSONValue) -> PropertyValue? {
        switch json {
        case .string(let text): return .string(text)
        case .boolean(let flag): return .boolean(flag)
        case .integer(let number): return .number(.integer(Int64(number)))
        case .real(let number): return .number(.real(number))
        case .object(let members):
            if let seconds = members["date"]?.number { return .date(Timestamp(secondsSinceReferenceDate: seconds)) }
            if let bytes = members["base64"]?.string.flatMap(bytes) { return .data(bytes) }
            guard let protection = members["accessible"]?.string.flatMap(Accessibility.init(rawValue:)),
                let flags = members["flags"]?.integer.flatMap(UInt64.init(exactly:)),
                let constraints = AccessConstraints(AccessControlFlags(rawValue: flags))
            else { return nil }
            return .accessControl(AccessControl(protection: protection, constraints: constraints))
        case .null, .array: return nil
        }
    }
}
