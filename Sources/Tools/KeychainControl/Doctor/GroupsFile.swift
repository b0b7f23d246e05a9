// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore
import KeychainPropertyLists

/// The access groups of a client, from its entitlements or from a list.
enum GroupsFile {
    /// Reads a property list of entitlements, a JSON array of groups, or a JSON object with `groups`.
    static func groups(_ bytes: Data) throws(BadInput) -> [String] {
        if let value = propertyList(bytes) {
            if let list = value.elements { return list.compactMap(\.string) }
            if let entitlements = value.members { return groups(of: entitlements) }
        }
        if let entitlements = codesignOutput(bytes) { return groups(of: entitlements) }
        if let json = try? JSONParser.parse(bytes), let list = json.elements ?? json["groups"].elements {
            let groups = list.compactMap(\.string)
            if groups.count == list.count { return groups }
        }
        throw BadInput("the client is neither a property list of entitlements nor a JSON list of groups")
    }

    /// A property list, without the header that codesign may write before it.
    private static func propertyList(_ bytes: Data) -> PropertyListValue? {
        var bytes = bytes
        if !bytes.starts(with: Data("bplist".utf8)) {
            let beginnings = ["<?xml", "<!DOCTYPE plist", "<plist"]
            let starts = beginnings.compactMap { bytes.firstRange(of: Data($0.utf8))?.lowerBound }
            guard let start = starts.min() else { return nil }
            bytes = Data(bytes[start...])
        }
        return PropertyListValue(bytes)
    }

    /// Parses the output of `codesign -d --entitlements -` without `--xml`: a line for each key and each value.
    private static func codesignOutput(_ bytes: Data) -> [String: PropertyListValue]? {
        guard let text = String(data: bytes, encoding: .utf8), !text.hasTooManyMarks, text.contains("[Dict]") else {
            return nil
        }
        var (entitlements, key) = ([String: [String]](), "")
        for line in text.split(separator: "\n") {
            let line = line.drop(while: \.isWhitespace)
            if line.hasPrefix("[Key] ") {
                key = String(line.dropFirst("[Key] ".count))
            } else if line.hasPrefix("[String] ") {
                entitlements[key, default: []].append(String(line.dropFirst("[String] ".count)))
            }
        }
        return entitlements.mapValues { .array($0.map(PropertyListValue.string)) }
    }

    /// The groups in the order in which a client has them (Semantics, "Access groups").
    static func groups(of entitlements: [String: PropertyListValue]) -> [String] {
        func list(_ key: String) -> [String] {
            entitlements[key]?.elements?.compactMap(\.string) ?? entitlements[key]?.string.map { [$0] } ?? []
        }
        let names = [
            "keychain-access-groups", "com.apple.developer.associated-application-identifier", "application-identifier",
            "com.apple.application-identifier", "com.apple.security.application-groups",
        ]
        var seen: Set<String> = []
        return names.flatMap(list).filter { seen.insert($0).inserted }
    }
}
