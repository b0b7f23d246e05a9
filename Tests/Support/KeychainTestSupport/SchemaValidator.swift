// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Checks JSON against the part of JSON Schema (2020-12) that the published schemas use.
package enum SchemaValidator {
    private static let keywords: Set<String> = [
        "$schema", "title", "description", "type", "required", "additionalProperties", "properties", "const", "enum",
        "items", "minimum", "maximum", "maxLength", "maxItems",
    ]

    /// What is wrong, with its place; empty when the value is valid.
    package static func problems(_ value: Any, _ schema: [String: Any], at place: String = "$") -> [String] {
        var problems: [String] = []
        for keyword in schema.keys where !keywords.contains(keyword) {
            problems.append("\(place): the schema has the keyword \(keyword), which is not checked here")
        }
        if let constant = schema["const"], !isEqual(value, constant) { problems.append("\(place): not \(constant)") }
        if let options = schema["enum"] as? [Any], !options.contains(where: { isEqual(value, $0) }) {
            problems.append("\(place): \(value) is none of \(options)")
        }
        let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] }
        if let types, !types.contains(where: { has(value, $0) }) {
            problems.append("\(place): \(value) is not of type \(types)")
        }
        if let object = value as? [String: Any] {
            let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
            for name in schema["required"] as? [String] ?? [] where object[name] == nil {
                problems.append("\(place): \(name) is missing")
            }
            for (name, member) in object {
                if let inner = properties[name] {
                    problems += Self.problems(member, inner, at: "\(place).\(name)")
                } else if let inner = schema["additionalProperties"] as? [String: Any] {
                    problems += Self.problems(member, inner, at: "\(place).\(name)")
                } else if schema["additionalProperties"] as? Bool == false {
                    problems.append("\(place): \(name) is not in the schema")
                }
            }
        }
        if let array = value as? [Any] {
            if let maximum = schema["maxItems"] as? Int, array.count > maximum { problems.append("\(place): too many") }
            if let inner = schema["items"] as? [String: Any] {
                for (index, element) in array.enumerated() {
                    problems += Self.problems(element, inner, at: "\(place)[\(index)]")
                }
            }
        }
        if let text = value as? String, let maximum = schema["maxLength"] as? Int, text.count > maximum {
            problems.append("\(place): longer than \(maximum)")
        }
        if let number = value as? Double {
            if let minimum = schema["minimum"] as? Double, number < minimum {
                problems.append("\(place): below \(minimum)")
            }
            if let maximum = schema["maximum"] as? Double, number > maximum {
                problems.append("\(place): above \(maximum)")
            }
        }
        return problems
    }

    private static func isEqual(_ left: Any, _ right: Any) -> Bool { (left as? NSObject) == (right as? NSObject) }

    private static func has(_ value: Any, _ type: String) -> Bool {
        switch type {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "boolean": value is Bool
        case "integer": value is Int
        case "number": value is Double
        default: value is NSNull
        }
    }
}
