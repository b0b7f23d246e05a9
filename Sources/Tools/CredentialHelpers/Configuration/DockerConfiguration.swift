// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Docker's `config.json`.
package struct DockerConfiguration: Sendable {
    private var members: [String: JSONValue]

    /// Reads the file; no bytes are one without members.
    ///
    /// - Throws: ``HelperFailure`` for anything but an object of JSON.
    package init(_ bytes: [UInt8]) throws(HelperFailure) {
        let bytes = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ? Array("{}".utf8) : bytes
        members = try JSONInput.object(SecretBytes(bytes)).members ?? [:]
    }

    /// The name of the helper for all registries.
    package var credentialsStore: String? {
        get { members["credsStore"]?.string }
        set { members["credsStore"] = newValue.map { .string($0) } }
    }

    /// How many registries have their credential in the file itself.
    package var plainCredentialCount: Int {
        (members["auths"]?.members ?? [:]).values.count { entry in
            ["auth", "identitytoken", "registrytoken"].contains { entry[$0].string?.isEmpty == false }
        }
    }

    /// The file.
    package var bytes: [UInt8] { Array("\(JSONValue.object(members).indentedText)\n".utf8) }

    /// The name by which Docker finds the program `docker-credential-keychain`.
    package static let helper = "keychain"
}
