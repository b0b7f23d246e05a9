// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

extension PlainSecrets {
    /// Reads Docker's `config.json`: the members of `auths`.
    ///
    /// - Throws: ``HelperFailure`` for what is not understood, and for a file that names another helper.
    package init(docker bytes: [UInt8]) throws(HelperFailure) {
        let configuration = try DockerConfiguration(bytes)
        let text = TextLines(bytes)
        guard let value = bytes.withUnsafeBytes({ try? JSONParser.parse($0, limitsMarks: false) }),
            let auths = value["auths"].members, let ranges = JSONRanges(bytes).members(of: "auths")
        else { return }
        if configuration.plainCredentialCount > 0, let store = configuration.credentialsStore,
            store != DockerConfiguration.helper
        {
            throw HelperFailure(
                "it names the helper '\(store.printable)'; 'keychainctl helper install docker' replaces it"
            )
        }
        let others = Set(configuration.othersRegistries)
        for (name, entry) in ranges {
            let members = auths[name]?.members ?? [:]
            guard let inner = JSONRanges(bytes).members(within: entry) else { continue }
            let filled = ["auth", "identitytoken", "registrytoken", "password"].filter {
                members[$0]?.string?.isEmpty == false
            }
            guard !filled.isEmpty else { continue }
            let line = text.number(at: entry.lowerBound)
            let shown = name.printable
            guard !filled.contains("registrytoken"), !filled.contains("password"), let key = try? DockerKey(name) else {
                leave(line, "the entry of \(shown) has what Docker's helpers do not take")
                continue
            }
            guard !others.contains(name) else {
                leave(line, "\(shown) has a helper of its own (credHelpers)")
                continue
            }
            let pair = members["auth"]?.string.flatMap(Self.pair)
            guard let credential = members["identitytoken"]?.string.map({ ("<token>", SecretBytes(text: $0)) }) ?? pair
            else {
                leave(line, "the entry of \(shown) is not a user and a password")
                continue
            }
            // What Docker leaves itself where it has a helper.
            let taken = inner.filter { ["auth", "identitytoken"].contains($0.name) }
            let edit = taken.count == inner.count ? [TextEdit(entry, "{}")] : taken.map { TextEdit($0.range, "\"\"") }
            secrets.append(
                PlainSecret(
                    line: line,
                    what: "the credential of \(credential.0.printable) at \(shown)",
                    place: .registry(key, user: credential.0),
                    secret: credential.1,
                    edits: edit
                )
            )
        }
    }

    /// User and password of a member `auth`.
    private static func pair(_ text: String) -> (String, SecretBytes)? {
        guard let bytes = Data(base64Encoded: text), let (user, password) = SecretBytes(Array(bytes)).split(at: 0x3A),
            let name = user.text, !name.isEmpty, password.text != nil
        else { return nil }
        // Docker drops NULs at the end.
        return (name, password)
    }
}

/// Where the values of a JSON text are, which a parser has accepted.
struct JSONRanges {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The members of the object that a member of the whole is; `nil` if there is none.
    func members(of name: String) -> [(name: String, range: Range<Int>)]? {
        members(within: 0..<bytes.count)?.first { $0.name == name }.flatMap { members(within: $0.range) }
    }

    /// The members of an object, with the places of their values; `nil` for another value.
    func members(within object: Range<Int>) -> [(name: String, range: Range<Int>)]? {
        var place = skipping(object.lowerBound)
        guard place < object.upperBound, bytes[place] == UInt8(ascii: "{") else { return nil }
        place += 1
        var members: [(name: String, range: Range<Int>)] = []
        while true {
            place = skipping(place)
            guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return members }
            let nameEnd = end(of: place)
            let name = (try? JSONParser.parse(bytes[place..<nameEnd]))?.string ?? ""
            let value = skipping(skipping(nameEnd) + 1)
            guard value < bytes.count else { return members }
            place = end(of: value)
            members.append((name, value..<place))
            place = skipping(place)
            if place < bytes.count, bytes[place] == UInt8(ascii: ",") { place += 1 }
        }
    }

    private func skipping(_ place: Int) -> Int {
        bytes[min(place, bytes.count)...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
    }

    /// The place behind a value.
    private func end(of start: Int) -> Int {
        var (place, depth) = (start, 0)
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                place += 1
                while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
                    place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
                }
                place = min(place + 1, bytes.count)
            case UInt8(ascii: "{"), UInt8(ascii: "["): (place, depth) = (place + 1, depth + 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return place }
                (place, depth) = (place + 1, depth - 1)
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","):
                guard depth > 0 else { return place }
                place += 1
            default: place += 1
            }
            if depth == 0, place > start, [0x22, 0x7D, 0x5D].contains(bytes[place - 1]) { return place }
        }
        return place
    }
}
