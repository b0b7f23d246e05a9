// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

extension PlainSecrets {
    /// The text that base 64 is of; `nil` if it is not UTF-8.
    static func decoded(_ text: String) -> String? {
        Data(base64Encoded: text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Reads a file of variables (`.env`): those whose names or values are of secrets.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - path: its path, by which its items are told from those of others.
    ///   - reference: the reference that takes the place of a value.
    package init(variables bytes: [UInt8], path: String, reference: (CredentialPlace) -> String) {
        let text = TextLines(bytes)
        var end = 0
        for line in text.lines where line.range.lowerBound >= end {
            var range = text.trimmed(line.range)
            for keyword in ["export ", "export\t"] where bytes[range].starts(with: Array(keyword.utf8)) {
                range = text.trimmed((range.lowerBound + keyword.utf8.count)..<range.upperBound)
            }
            guard let first = range.first.map({ bytes[$0] }), first != UInt8(ascii: "#"),
                let sign = bytes[range].firstIndex(of: UInt8(ascii: "="))
            else { continue }
            let name = text.text(text.trimmed(range.lowerBound..<sign))
            // It may be a line of a secret.
            guard Self.isName(name) else { continue }
            let start = text.trimmed((sign + 1)..<range.upperBound).lowerBound
            guard let value = Self.value(text, from: start, to: line.range.upperBound) else {
                leave(line.number, "the value of \(name.printable) is not understood")
                continue
            }
            end = max(end, value.range.upperBound)
            guard !value.text.isEmpty, !value.text.utf8.starts(with: "keychain://".utf8),
                Self.isSecret(name) || Self.isURLWithPassword(value.text)
            else { continue }
            guard !value.isExpanded else {
                leave(line.number, "the value of \(name.printable) has a '$' or '`', which programs expand")
                continue
            }
            let place = CredentialPlace.generic(service: "env:\(path)", account: name)
            secrets.append(
                PlainSecret(
                    line: line.number,
                    what: "the value of \(name.printable)",
                    place: place,
                    secret: SecretBytes(text: value.text),
                    edits: [TextEdit(value.range, reference(place))]
                )
            )
        }
    }

    /// The value that begins at a place, as `keychainctl exec --env-file` reads it.
    private static func value(
        _ text: TextLines,
        from start: Int,
        to lineEnd: Int
    ) -> (text: String, range: Range<Int>, isExpanded: Bool)? {
        let bytes = text.bytes
        guard start < lineEnd, bytes[start] == 0x22 || bytes[start] == 0x27 else {
            var end = start
            while end < lineEnd, !(bytes[end] == 0x23 && (end == start || TextLines.isBlank(bytes[end - 1]))) {
                end += 1
            }
            let range = text.trimmed(start..<end)
            let value = String(validating: bytes[range], as: UTF8.self)
            return value.map { ($0, range, $0.contains { "$`\\".contains($0) }) }
        }
        var (value, place, isExpanded) = ([UInt8](), start + 1, false)
        while place < bytes.count, bytes[place] != bytes[start] {
            var byte = bytes[place]
            if bytes[start] == 0x22 {
                if byte == 0x24 || byte == 0x60 { isExpanded = true }
                let escapes: [UInt8: UInt8] = [0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09, 0x22: 0x22, 0x5C: 0x5C, 0x24: 0x24]
                if byte == 0x5C, place + 1 < bytes.count, let meant = escapes[bytes[place + 1]] {
                    (byte, place) = (meant, place + 1)
                }
            }
            value.append(byte)
            place += 1
        }
        guard place < bytes.count, let string = String(validating: value, as: UTF8.self) else { return nil }
        let lineEnd = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
        let rest = text.trimmed((place + 1)..<lineEnd)
        guard rest.isEmpty || [0x23, 0x0D].contains(bytes[rest.lowerBound]) else { return nil }
        return (string, start..<(place + 1), isExpanded)
    }

    /// Whether a text is the name of a variable (POSIX.1, "Name").
    private static func isName(_ text: String) -> Bool {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        return text.utf8.first.map { !isDigit($0) } ?? false
            && text.utf8.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x5F }
    }

    /// Whether a name is one of a secret.
    static func isSecret(_ name: String) -> Bool {
        let words = name.uppercased().split(separator: "_")
        let marks = [
            "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASS", "PWD", "PASSPHRASE", "KEY", "APIKEY", "CREDENTIAL",
            "CREDENTIALS", "PAT", "AUTH", "DSN",
        ]
        return words.contains { word in
            marks.contains(String(word)) || ["TOKEN", "SECRET", "PASSWORD"].contains { word.hasSuffix($0) }
        }
            && !words.contains("PUBLIC")
    }

    /// Whether a text is a URL with a password in it.
    static func isURLWithPassword(_ text: String) -> Bool { text.firstMatch(of: /:\/\/[^\/\s@]*:[^\/\s]+@/) != nil }

    /// Reads Maven's `settings.xml`: the passwords of servers, in the place of which Maven takes a variable.
    package init(maven bytes: [UInt8]) {
        guard let whole = String(validating: bytes, as: UTF8.self) else {
            leave(1, "it is not UTF-8")
            return
        }
        let text = TextLines(bytes)
        // What is in comments stays, and keeps its place.
        var plain = bytes
        for match in whole.matches(of: /<!--.*?-->/.dotMatchesNewlines()) {
            for place in Self.places(match.range, whole) where plain[place] != 0x0A { plain[place] = 0x20 }
        }
        let xml = String(decoding: plain, as: UTF8.self)
        for server in xml.matches(of: /<server>(.*?)<\/server>/.dotMatchesNewlines()) {
            let inner = server.output.1
            func element(_ name: String) -> Substring? {
                guard let open = inner.firstRange(of: "<\(name)>"),
                    let close = inner[open.upperBound...].firstRange(of: "</\(name)>")
                else { return nil }
                return inner[open.upperBound..<close.lowerBound]
            }
            for name in ["password", "passphrase"] {
                guard let value = element(name), !value.isEmpty, !value.contains("${") else { continue }
                let range = Self.places(value.startIndex..<value.endIndex, xml)
                let line = text.number(at: range.lowerBound)
                let id = element("id").map(String.init) ?? ""
                guard !id.isEmpty, !value.contains("<"), let secret = Self.unescaped(value) else {
                    leave(line, "the \(name) of a server is not understood")
                    continue
                }
                guard !(secret.hasPrefix("{") && secret.hasSuffix("}")) else {
                    leave(line, "the \(name) of '\(id.printable)' is sealed by Maven itself")
                    continue
                }
                let mark = id.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }
                    .joined()
                let variable = "MAVEN_\(name.uppercased())_\(mark)"
                guard !secrets.contains(where: { $0.variable == variable }) else {
                    leave(line, "there is another server whose id is like '\(id.printable)'")
                    continue
                }
                var found = PlainSecret(
                    line: line,
                    what: "the \(name) of the server '\(id.printable)'",
                    place: .generic(
                        service: "maven:\(id)",
                        account: name == "password" ? element("username").map(String.init) ?? "" : name
                    ),
                    secret: SecretBytes(text: secret),
                    edits: [TextEdit(range, "${env.\(variable)}")]
                )
                found.variable = variable
                secrets.append(found)
            }
        }
    }

    private static func places(_ range: Range<String.Index>, _ text: String) -> Range<Int> {
        let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
        return start..<(start + text.utf8.distance(from: range.lowerBound, to: range.upperBound))
    }

    /// The text of an element; `nil` for an entity that is not of XML itself.
    private static func unescaped(_ text: Substring) -> String? {
        let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        var parts = text.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            guard let end = parts[index].firstIndex(of: ";"), let meant = entities[String(parts[index][..<end])] else {
                return nil
            }
            parts[index] = meant + parts[index][parts[index].index(after: end)...]
        }
        return parts.joined()
    }

    /// Reads a private key of ssh: one without a passphrase is told, and stays.
    package init(privateKey bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let first = lines.first, first.hasPrefix("-----BEGIN "), first.hasSuffix("PRIVATE KEY-----") else {
            return
        }
        let isSealed: Bool
        if first == "-----BEGIN OPENSSH PRIVATE KEY-----" {
            let body = Data(base64Encoded: lines.dropFirst().prefix { !$0.hasPrefix("-") }.joined()) ?? Data()
            isSealed = !body.starts(with: Array("openssh-key-v1\0".utf8) + [0, 0, 0, 4] + Array("none".utf8))
        } else {
            isSealed = first.contains("ENCRYPTED") || lines.prefix(3).contains { $0.contains("ENCRYPTED") }
        }
        if !isSealed { leave(1, "a private key without a passphrase; 'ssh-keygen -p -f' gives it one") }
    }
}
