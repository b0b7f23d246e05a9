// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

extension PlainSecrets {
    /// Reads a netrc file, whose entries `keychainctl netrc` writes again.
    ///
    /// An entry that says more than host, user and password stays, and so does `default`.
    package init(netrc bytes: [UInt8]) {
        let text = TextLines(bytes)
        var reader = NetrcReader(text: text)
        while let entry = reader.next() {
            let line = text.number(at: entry.start)
            guard let host = entry.host else {
                if entry.hasPassword { leave(line, "'default' is for every host, which no item can be") }
                continue
            }
            guard entry.hasPassword else { continue }
            let shown = host.printable
            if let reason = entry.objection {
                leave(line, "the entry of \(shown) has \(reason)")
                continue
            }
            guard let user = entry.user, let password = entry.password else {
                leave(line, "the entry of \(shown) has no login")
                continue
            }
            // The name of a user is shown in lists.
            guard !password.isEmpty, password.text != "x-oauth-basic" else {
                leave(line, "the entry of \(shown) has the token in the place of the login")
                continue
            }
            guard let place = ServerAddress.hostAndPort(host), place.port == nil else {
                leave(line, "\(shown) is not the name of a host")
                continue
            }
            secrets.append(
                PlainSecret(
                    line: line,
                    what: "the password of \(user.printable) at \(shown)",
                    place: .server(ServerAddress(scheme: "https", host: host), user: user),
                    secret: password,
                    edits: entry.tokens.map { TextEdit($0) }
                )
            )
        }
        for line in reader.macros { leave(line, "a macro (macdef), which has no place in the keychain") }
    }
}

/// Reads the entries of a netrc file: words between blanks, of which those in quotes have escapes.
private struct NetrcReader {
    let text: TextLines
    private var place = 0

    /// The lines of macros that belong to no entry that has a password.
    private(set) var macros: [Int] = []

    /// The word that ended the entry before.
    private var pending: (word: String, range: Range<Int>)?

    init(text: TextLines) { self.text = text }

    struct Entry {
        var start: Int
        var host: String?
        var user: String?
        var password: SecretBytes?
        var hasPassword = false
        var objection: String?
        var tokens: [Range<Int>] = []
    }

    /// The next word, and its place; a comment goes to the end of its line.
    ///
    /// - Returns: `nil` at the end.
    private mutating func word() -> (word: SecretBytes, range: Range<Int>)? {
        let bytes = text.bytes
        while place < bytes.count {
            let byte = bytes[place]
            if Self.isSpace(byte) {
                place += 1
            } else if byte == UInt8(ascii: "#") {
                while place < bytes.count, bytes[place] != 0x0A { place += 1 }
            } else {
                break
            }
        }
        guard place < bytes.count else { return nil }
        let start = place
        var word = SecretBuffer()
        if bytes[place] == UInt8(ascii: "\"") {
            place += 1
            while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
                if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count { place += 1 }
                word.append(bytes[place])
                place += 1
            }
            place = min(place + 1, bytes.count)
        } else {
            while place < bytes.count, !Self.isSpace(bytes[place]) {
                word.append(bytes[place])
                place += 1
            }
        }
        return (word.bytes, start..<place)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private mutating func keyword() -> (word: String, range: Range<Int>)? {
        defer { pending = nil }
        return pending ?? word().map { ($0.word.text ?? "", $0.range) }
    }

    /// Passes over a macro: it ends before an empty line.
    private mutating func skipMacro() {
        let rest = text.lines.drop { $0.whole.upperBound <= place }
        place = rest.first { text.trimmed($0.range).isEmpty }?.range.lowerBound ?? text.bytes.count
    }

    /// The next entry.
    mutating func next() -> Entry? {
        while let (first, range) = keyword() {
            if first == "macdef" {
                macros.append(text.number(at: range.lowerBound))
                skipMacro()
                continue
            }
            guard first == "machine" || first == "default" else { continue }
            var entry = Entry(start: range.lowerBound, tokens: [range])
            if first == "machine" {
                guard let (host, place) = word() else { return nil }
                entry.host = host.text ?? "\u{FFFD}"
                entry.tokens.append(place)
            }
            readParts(&entry)
            return entry
        }
        return nil
    }

    private mutating func readParts(_ entry: inout Entry) {
        while let (word, range) = keyword() {
            switch word {
            case "machine", "default":
                pending = (word, range)
                return
            case "macdef":
                entry.objection = "a macro (macdef)"
                macros.append(text.number(at: range.lowerBound))
                skipMacro()
            case "login", "user", "password", "account":
                guard let (value, place) = self.word() else {
                    entry.objection = "no value for '\(word)'"
                    return
                }
                entry.tokens += [range, place]
                if word == "account" { entry.objection = "an account, which a netrc line of this command has not" }
                if word == "password" {
                    if entry.hasPassword { entry.objection = "two passwords" }
                    (entry.password, entry.hasPassword) = (value, true)
                } else if word != "account" {
                    entry.user = value.text
                }
            default: entry.objection = "a word that is not understood"
            }
        }
    }
}
