// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore

/// The secret of an item of git's: the password, then a line for each of what belongs to it.
///
/// An item with a password alone has nothing else, so that other programs read it as they always did.
package struct GitSecret: Hashable, Sendable {
    /// Empty in an item for a ready-made header.
    package var password = SecretBytes()
    package var passwordExpiry: Int?
    package var refreshToken: SecretBytes?
    package var authenticationType: String?
    package var credential: SecretBytes?

    /// What git approved; `nil` if there is nothing to store.
    package init?(_ approved: GitCredential) {
        if let type = approved.authenticationType, !type.isEmpty, let credential = approved.credential {
            (authenticationType, self.credential) = (type, credential)
        } else {
            guard let password = approved.password else { return nil }
            self.password = password
        }
        passwordExpiry = approved.passwordExpiry
        refreshToken = approved.refreshToken
    }

    /// The bytes of an item; `nil` if they are not of this form: git would take their newline for the end of a value.
    package init?(stored: SecretBytes) {
        var lines = stored.lines.makeIterator()
        guard let password = lines.next()?.oneLine else { return nil }
        self.password = password
        while let line = lines.next() {
            guard line.oneLine != nil, let (key, value) = line.split(at: UInt8(ascii: "=")) else { return nil }
            switch key.text {
            case "password_expiry_utc":
                guard let seconds = value.text.flatMap({ Int($0) }) else { return nil }
                passwordExpiry = seconds
            case "oauth_refresh_token": refreshToken = value
            case "authtype":
                guard let type = value.text else { return nil }
                authenticationType = type
            case "credential": credential = value
            default: return nil
            }
        }
        guard (authenticationType == nil) == (credential == nil) else { return nil }
    }

    /// The bytes of an item.
    package var stored: SecretBytes {
        var bytes = SecretBuffer()
        bytes.append(password)
        if let passwordExpiry { bytes.append(text: "\npassword_expiry_utc=\(passwordExpiry)") }
        if let refreshToken { bytes.append(line: "\noauth_refresh_token=", refreshToken) }
        if let authenticationType { bytes.append(text: "\nauthtype=\(authenticationType)") }
        if let credential { bytes.append(line: "\ncredential=", credential) }
        return bytes.bytes
    }

    /// Whether it is what a pattern of git's has; a pattern without a secret fits everything.
    func fits(_ pattern: GitCredential) -> Bool {
        if let given = pattern.credential { return credential == given }
        guard let given = pattern.password else { return true }
        return credential == nil && password == given
    }
}

extension SecretBuffer {
    fileprivate mutating func append(line key: String, _ value: SecretBytes) {
        append(text: key)
        append(value)
    }
}
