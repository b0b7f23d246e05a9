// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// A description of a credential, as git writes it to its helpers (git-credential(1)).
package struct GitCredential: Hashable, Sendable {
    package var scheme: String?
    package var host: String?
    package var path: String?
    package var username: String?
    package var password: SecretBytes?

    /// When the password expires, in seconds since 1970.
    package var passwordExpiry: Int?
    package var refreshToken: SecretBytes?

    /// The scheme of a ready-made value of the header `Authorization`, such as `Bearer`.
    package var authenticationType: String?
    /// What follows the scheme in that header.
    package var credential: SecretBytes?

    /// Whether the credential must not be stored.
    package var isEphemeral = false

    /// What git understands beyond users and passwords.
    package var capabilities: [String] = []

    /// What helpers told git before.
    package var states: [String] = []

    package init() {}

    /// Reads a description: lines up to an empty one, or to the end.
    ///
    /// Unknown keys are ignored. A carriage return is refused, also at the end of a line: some programs take it for a
    /// part of the value, others do not.
    ///
    /// - Throws: ``HelperFailure`` for a line without `=`, for NUL, and for a name that is not UTF-8.
    package init(_ input: SecretBytes) throws(HelperFailure) {
        for line in input.lines {
            if line.isEmpty { return }
            guard line.oneLine != nil else { throw HelperFailure("a line has a carriage return or NUL in it") }
            guard let (key, value) = line.split(at: UInt8(ascii: "=")), let key = key.text, !key.isEmpty else {
                throw HelperFailure("a line is not KEY=VALUE")
            }
            try set(key, value)
        }
    }

    private mutating func set(_ key: String, _ value: SecretBytes) throws(HelperFailure) {
        switch key {
        case "protocol": scheme = try Self.text(value, key)
        case "host": host = try Self.text(value, key)
        case "path": path = try Self.text(value, key)
        case "username": username = try Self.text(value, key)
        case "url": try setParts(ofURL: try Self.text(value, key))
        case "password": password = value
        case "password_expiry_utc": passwordExpiry = value.text.flatMap { Int($0) }
        case "oauth_refresh_token": refreshToken = value
        case "authtype": authenticationType = try Self.text(value, key)
        case "credential": credential = value
        case "ephemeral": isEphemeral = Self.isTrue(value)
        case "capability[]": Self.append(try Self.text(value, key), to: &capabilities)
        case "state[]": Self.append(try Self.text(value, key), to: &states)
        default: break
        }
    }

    /// Adds an element; an empty one clears the list.
    private static func append(_ element: String, to list: inout [String]) {
        list = element.isEmpty ? [] : list + [element]
    }

    private static func isTrue(_ value: SecretBytes) -> Bool {
        ["1", "true", "yes", "on"].contains(value.text?.lowercased())
    }

    private static func text(_ value: SecretBytes, _ key: String) throws(HelperFailure) -> String {
        guard let text = value.text else { throw HelperFailure("the value of '\(key)' is not UTF-8") }
        return text
    }

    /// A URL replaces all the parts.
    private mutating func setParts(ofURL url: String) throws(HelperFailure) {
        guard let parts = ServerAddress.parts(ofURL: url) else { throw HelperFailure("the URL has no scheme") }
        scheme = parts.scheme
        (username, password, host, path) = (nil, nil, nil, nil)
        var authority = parts.authority[...]
        if let mark = authority.lastIndex(of: "@") {
            let user = authority[..<mark]
            authority = authority[authority.index(after: mark)...]
            let colon = user.firstIndex(of: ":") ?? user.endIndex
            username = try Self.decoded(user[..<colon]).text
            if username == nil { throw HelperFailure("the user of the URL is not UTF-8") }
            if colon != user.endIndex { password = try Self.decoded(user[user.index(after: colon)...]) }
        }
        host = try Self.decoded(authority).text
        if let text = parts.path, !text.isEmpty { path = try Self.decoded(text).text }
    }

    /// A part of a URL without its percent-encoding.
    private static func decoded(_ part: some StringProtocol) throws(HelperFailure) -> SecretBytes {
        guard let decoded = PercentEncoding.decoded(part) else {
            throw HelperFailure("the URL has a '%' without two hexadecimal digits")
        }
        guard let line = decoded.oneLine else { throw HelperFailure("the URL has an encoded newline or NUL") }
        return line
    }

    /// Whether it has a password, or what is in place of one.
    var hasSecret: Bool { password != nil || credential != nil }

    /// The place that the credential is for; `nil` if too little is named: such a pattern means nothing.
    ///
    /// - Throws: ``HelperFailure`` for a scheme or a host that cannot be one.
    package var address: ServerAddress? {
        get throws(HelperFailure) {
            guard let scheme, !scheme.isEmpty else { return nil }
            guard ServerAddress.isScheme(scheme) else { throw HelperFailure("the protocol is not the scheme of a URL") }
            let path = path.flatMap { $0.isEmpty ? nil : $0 }
            guard let host, !host.isEmpty else {
                return path.map { ServerAddress(scheme: scheme.lowercased(), host: "", path: $0) }
            }
            guard let (name, port) = ServerAddress.hostAndPort(host) else {
                throw HelperFailure("the host is not a name or address with an optional port")
            }
            return ServerAddress(scheme: scheme.lowercased(), host: name, port: port, path: path)
        }
    }
}
