// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// A request of cargo's: a line of JSON (The Cargo Book, "Credential Provider Protocol", version 1).
package enum CargoRequest: Hashable, Sendable {
    case get(index: String)
    /// The token is `nil` if the user has to be asked for it; the URL is where a token can be made.
    case login(index: String, token: SecretBytes?, loginURL: String?)
    case logout(index: String)
    case unknown

    /// Reads a request.
    ///
    /// - Throws: ``HelperFailure`` for what is not a request of version 1.
    package init(_ line: SecretBytes) throws(HelperFailure) {
        let request = try JSONInput.object(line)
        guard request["v"].integer == 1 else { throw HelperFailure("the request is not of version 1") }
        guard let kind = request["kind"].string else { throw HelperFailure("the request has no kind") }
        guard ["get", "login", "logout"].contains(kind) else {
            self = .unknown
            return
        }
        guard let index = request["registry"]["index-url"].string, !index.isEmpty, index.isOneLine else {
            throw HelperFailure("the request has no index-url")
        }
        switch kind {
        case "get": self = .get(index: index)
        case "logout": self = .logout(index: index)
        default:
            self = .login(
                index: index,
                token: request["token"].string.map { SecretBytes(text: $0) },
                loginURL: request["login-url"].string
            )
        }
    }
}
