// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// Entries of a netrc file, for curl, SwiftPM, git and Python.
package enum Netrc {
    /// The lines for a host, and who is left out.
    package struct Entries: Sendable {
        /// Empty if there is no password.
        package var lines = SecretBytes()

        /// The users whose names or passwords no netrc file can have.
        package var unwritable: [String] = []
    }

    /// The passwords for a host that are in the keychain, one entry for each user; not those for a path only.
    ///
    /// - Parameters:
    ///   - host: the name, as programs look it up: without a port.
    ///   - store: the credentials.
    /// - Returns: The lines, and who is left out.
    /// - Throws: ``HelperFailure`` for what is not a host.
    package static func entries(for host: String, in store: CredentialStore) throws -> Entries {
        guard let place = ServerAddress.hostAndPort(host), place.port == nil else {
            throw HelperFailure("'\(PlainText.shown(host))' is not the name of a host")
        }
        let address = ServerAddress(scheme: "https", host: host)
        let found = try store.withoutDocker(
            try store.entries(.internetPassword, [.server: host]).filter(address.isPlace)
        )
        .filter { ["", "/"].contains($0.text("path")) }
        var lines = SecretBuffer()
        var entries = Entries()
        var users: Set<String> = []
        for entry in found {
            guard let user = entry.text(.account), users.insert(user).inserted else { continue }
            guard let secret = GitSecret(stored: try store.secret(of: entry)),
                let name = try? token(SecretBytes(text: user)), let password = try? token(secret.password)
            else {
                entries.unwritable.append(user)
                continue
            }
            // A ready-made header is no password.
            guard secret.credential == nil else { continue }
            lines.append(text: "machine \(host) login ")
            lines.append(name)
            lines.append(" password ")
            lines.append(password)
            lines.append(0x0A)
        }
        entries.lines = lines.bytes
        return entries
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
