// SPDX-License-Identifier: Apache-2.0
import KeychainCore

extension Configuration {
    /// The JSON schema of a configuration, for editors.
    public static var schema: String {
        let severity = JSONValue.object(["enum": .array(Severity.allCases.map { .string($0.rawValue) })])
        let rule = JSONValue.object(["enum": .array(Rule.all.map { .string($0.id) })])
        func list(_ items: JSONValue) -> JSONValue { .object(["type": .string("array"), "items": items]) }
        let text = JSONValue.object(["type": .string("string")])
        let severities = JSONValue.object([
            "type": .string("object"), "propertyNames": rule, "additionalProperties": severity,
        ])
        let perPath = JSONValue.object([
            "type": .string("object"), "additionalProperties": .boolean(false),
            "properties": .object(["disabled_rules": list(rule), "severity": severities]),
        ])
        let types: [String: JSONValue] = [
            "rules": list(rule), "strings": list(text), "string": text, "severity": severity,
            "boolean": .object(["type": .string("boolean")]), "severities": severities,
            "paths": .object(["type": .string("object"), "additionalProperties": perPath]),
        ]
        let properties = Dictionary(
            settings.compactMap { setting in types[setting.schema].map { (setting.name, $0) } }
        ) { first, _ in first }
        let document = JSONValue.object([
            "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
            "title": .string("The configuration of keychain-lint"),
            "type": .string("object"),
            "additionalProperties": .boolean(false),
            "properties": .object(properties),
        ])
        return document.indentedText + "\n"
    }
}
