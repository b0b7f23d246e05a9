// SPDX-License-Identifier: Apache-2.0

/// The place that a credential is for, as an internet password has it.
package struct ServerAddress: Hashable, Sendable {
    /// The scheme of a URL, in lower case.
    package var scheme: String

    /// The host, an IPv6 address in its brackets; empty if there is only a path.
    package var host: String

    /// The port; `nil` if none is written.
    package var port: UInt16?

    /// The path as it is written; `nil` if there is none.
    package var path: String?

    /// An address.
    package init(scheme: String, host: String, port: UInt16? = nil, path: String? = nil) {
        (self.scheme, self.host, self.port, self.path) = (scheme, host, port, path)
    }

    /// The codes of `kSecAttrProtocol`, by scheme.
    private static let codes = [
        "ftp": "ftp ", "ftps": "ftps", "http": "http", "https": "htps", "imap": "imap", "imaps": "imps",
        "irc": "irc ", "ircs": "ircs", "ldap": "ldap", "ldaps": "ldps", "nntp": "nntp", "nntps": "ntps",
        "pop3": "pop3", "pop3s": "pops", "rtsp": "rtsp", "smb": "smb ", "smtp": "smtp", "socks": "sox ",
        "ssh": "ssh ", "telnet": "teln", "telnets": "tels",
    ]

    private static let defaultPorts: [String: UInt16] = ["http": 80, "https": 443, "ssh": 22, "ftp": 21]

    /// The scheme of a value of `kSecAttrProtocol`; `nil` for a value that no scheme has.
    package static func scheme(ofCode code: String) -> String? { codes.first { $0.value == code }?.key }

    /// The value of `kSecAttrProtocol`; `nil` for a scheme that has none.
    package static func code(ofScheme scheme: String) -> String? { codes[scheme] }

    /// The code of the scheme; `nil` if it has none.
    package var code: String? { Self.code(ofScheme: scheme) }

    /// The value of `kSecAttrServer`.
    ///
    /// A scheme without a code is a part of it: otherwise the credentials of two such schemes would be the same.
    package var server: String { code == nil ? "\(scheme)://\(host)" : host }

    /// The port of the scheme; 0 for a scheme without one.
    package var defaultPort: Int64 { Int64(Self.defaultPorts[scheme] ?? 0) }

    /// The attributes of a new item.
    package var attributes: [AttributeName: PropertyValue] {
        var attributes: [AttributeName: PropertyValue] = [.server: .string(server)]
        if let code { attributes["ptcl"] = .string(code) }
        if let port { attributes["port"] = .number(.integer(Int64(port))) }
        if let path { attributes["path"] = .string(path) }
        return attributes
    }
}

extension ServerAddress {
    /// A host with an optional port, as git and HTTP write it: `example.com`, `example.com:8080`, `[::1]:8080`.
    ///
    /// - Returns: `nil` for what is not a host: one with a user, a slash, a blank or a control character, or a port
    ///   that is not a number of 16 bits.
    package static func hostAndPort(_ text: String) -> (host: String, port: UInt16?)? {
        guard text.unicodeScalars.allSatisfy(isOfHost) else { return nil }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]"), end > text.index(after: text.startIndex) else { return nil }
            guard !text[text.index(after: text.startIndex)..<end].contains("[") else { return nil }
            return port(text[text.index(after: end)...], of: text[...end])
        }
        guard let colon = text.firstIndex(of: ":") else {
            // A colon with a combining mark is another character.
            return text.isEmpty || text.unicodeScalars.contains(":") ? nil : (text, nil)
        }
        return port(text[colon...], of: text[..<colon])
    }

    private static func port(_ rest: Substring, of host: Substring) -> (host: String, port: UInt16?)? {
        guard !host.isEmpty else { return nil }
        guard !rest.isEmpty else { return (String(host), nil) }
        guard rest.first == ":", let port = port(rest.dropFirst()) else { return nil }
        return (String(host), port)
    }

    /// The number of a port in decimal digits; `nil` for any other text, and for one of more than 16 bits.
    package static func port(_ digits: some StringProtocol) -> UInt16? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(digits) : nil
    }

    private static func isOfHost(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x20 && scalar.value != 0x7F && !"/\\@?#%\"'<>".unicodeScalars.contains(scalar)
            && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
            && scalar.properties.generalCategory != .format
    }

    /// The scheme, the rest before the first slash, and the path of a URL; `nil` if there is no scheme.
    package static func parts(ofURL text: String) -> (scheme: String, authority: String, path: String?)? {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound]
        guard isScheme(scheme) else { return nil }
        let rest = text[mark.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let path = slash == rest.endIndex ? nil : String(rest[rest.index(after: slash)...])
        return (scheme.lowercased(), String(rest[..<slash]), path)
    }

    /// Whether a text is the scheme of a URL (RFC 3986, section 3.1).
    package static func isScheme(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
