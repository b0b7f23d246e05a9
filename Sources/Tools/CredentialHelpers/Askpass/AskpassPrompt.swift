// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A question that ssh, sudo or git puts to the program of `SSH_ASKPASS`, `SUDO_ASKPASS` or `GIT_ASKPASS`.
package enum AskpassPrompt: Hashable, Sendable {
    /// The passphrase of a private key, by the path of its file.
    case key(path: String)
    /// A password at a server.
    case server(user: String, host: String)
    /// The user's own password, for sudo.
    case sudo(user: String)
    /// The password at a place that git names by a URL.
    case git(url: String)
    /// Anything else: a one-time code, another try after a wrong answer, a user's name.
    case other

    /// Reads a prompt in English, as these programs write it without a locale.
    ///
    /// A control character or another end of a line is part of none: a name with one would be several lines of git's
    /// protocol.
    package init(_ text: String) {
        let text = Self.withoutEnd(text)
        guard !text.unicodeScalars.contains(where: \.isInvisible) else {
            self = .other
            return
        }
        self = Self.key(text) ?? Self.sudo(text) ?? Self.git(text) ?? Self.server(text) ?? .other
    }

    private static func key(_ text: Substring) -> AskpassPrompt? {
        guard var path = text.between("Enter passphrase for ", ":") else { return nil }
        if let withoutMark = path.between("", " (will confirm each use)") { path = withoutMark }
        if let quoted = path.between("key '", "'") { path = quoted }
        return path.first == "/" && !path.contains(where: \.isNewline) ? .key(path: String(path)) : nil
    }

    private static func sudo(_ text: Substring) -> AskpassPrompt? {
        guard let user = text.between("[sudo] password for ", ":"), isName(user) else { return nil }
        return .sudo(user: String(user))
    }

    /// A prompt of git, unless it is not sure which part is the host.
    ///
    /// Before 2.48.1, git wrote user and host decoded (CVE-2024-50349): `https://ada%40github.com%2F@evil.example` was
    /// asked for as `https://ada@github.com/@evil.example`.
    private static func git(_ text: Substring) -> AskpassPrompt? {
        guard let url = text.between("Password for '", "':"), url.contains("://"),
            url.utf8.count(where: { $0 == UInt8(ascii: "@") }) <= 1
        else { return nil }
        return .git(url: String(url))
    }

    private static func server(_ text: Substring) -> AskpassPrompt? {
        // The second form is of keyboard-interactive authentication.
        let words = text.between("", "'s password:") ?? text.between("(", ") Password:")
        guard let words, let mark = words.lastIndex(of: "@") else { return nil }
        let (user, host) = (words[..<mark], words[words.index(after: mark)...])
        guard isName(user), let place = ServerAddress.hostAndPort(String(host)), place.port == nil else { return nil }
        return .server(user: String(user), host: place.host)
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && !text.contains { $0.isWhitespace || $0.isNewline || $0 == "'" || $0 == ":" }
    }

    /// A prompt without the newline and the blank after it: one of each, as no program writes more.
    private static func withoutEnd(_ text: String) -> Substring {
        var scalars = text.unicodeScalars[...]
        for end in ["\n", " "] as [Unicode.Scalar] where scalars.last == end { scalars.removeLast() }
        return Substring(scalars)
    }
}

extension Substring {
    /// What is left of a text that begins and ends with others; `nil` if it does not.
    fileprivate func between(_ start: String, _ end: String) -> Substring? {
        guard hasPrefix(start), hasSuffix(end), utf8.count >= start.utf8.count + end.utf8.count else { return nil }
        return dropFirst(start.count).dropLast(end.count)
    }
}
