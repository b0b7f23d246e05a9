// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// Entries of a netrc file, for curl, SwiftPM, git and Python.
package enum Netrc {
    /// The passwords for a host that are in the keychain, one entry for each user; not those for a path only.
    ///
    /// - Parameters:
    ///   - host: the name, as programs look it up: without a port.
    ///   - store: the credentials.
    /// - Returns: The lines; empty if there is none.
    /// - Throws: ``HelperFailure`` for what is not a host, and for a secret that no netrc file can have.
    package static func entries(for host: String, in store: CredentialStore) throws -> SecretBytes {
        guard let place = ServerAddress.hostAndPort(host), place.port == nil else {
            throw HelperFailure("'\(PlainText.shown(host))' is not the name of a host")
        }
        let address = ServerAddress(scheme: "https", host: host)
        let found = try store.withoutDocker(
            try store.entries(.internetPassword, [.server: host]).filter(address.isPlace)
        )
        .filter { ["", "/"].contains($0.text("path")) }
        var lines = SecretBuffer()
        var users: Set<String> = []
        for entry in found {
            guard let user = entry.text(.account), users.insert(user).inserted else { continue }
            guard let secret = GitSecret(stored: try store.secret(of: entry)), secret.credential == nil else {
                continue
            }
            lines.append(text: "machine \(host) login ")
            lines.append(try token(SecretBytes(text: user)))
            lines.append(" password ")
            lines.append(try token(secret.password))
            lines.append(0x0A)
        }
        return lines.bytes
    }

    /// A word of a netrc file: as it is, or in quotes, which curl reads from 7.84 on, but not every program.
    ///
    /// - Throws: ``HelperFailure`` for one with a newline or NUL.
    package static func token(_ value: SecretBytes) throws(HelperFailure) -> SecretBytes {
        guard value.oneLine != nil else { throw HelperFailure("a user or password has several lines") }
        let isPlain = value.withUnsafeBytes { bytes in
            bytes.first.map { $0 != UInt8(ascii: "#") } ?? false
                && bytes.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        }
        guard !isPlain else { return value }
        var quoted = SecretBuffer()
        quoted.append("\"")
        value.withUnsafeBytes { bytes in
            for byte in bytes {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
                quoted.append(byte)
            }
        }
        quoted.append("\"")
        return quoted.bytes
    }
}
