// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Docker's `config.json`.
package struct DockerConfiguration: Sendable {
    private let members: [String: JSONValue]
    private var text: JSONObjectText

    /// Reads the file; no bytes are one without members.
    ///
    /// - Throws: ``HelperFailure`` for anything but an object of JSON, and for one whose helper is written in a way
    ///   that Docker understands and that would not be changed here.
    package init(_ bytes: [UInt8]) throws(HelperFailure) {
        let bytes = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } ? Array("{}\n".utf8) : bytes
        members = try JSONInput.object(SecretBytes(bytes)).members ?? [:]
        text = JSONObjectText(parsed: bytes)
        // Docker takes a name in any case of its letters (Go, package encoding/json).
        let isWrittenOtherwise = members.keys.contains {
            $0 != Self.store && $0.uppercased() == Self.store.uppercased()
        }
        guard !isWrittenOtherwise else {
            throw HelperFailure("'\(Self.store)' is written in another way; take it out first")
        }
        switch members[Self.store] ?? .null {
        case .null, .string: credentialsStore = members[Self.store]?.string
        default: throw HelperFailure("'\(Self.store)' is not a text; take it out first")
        }
    }

    private static let store = "credsStore"

    /// The name of the helper for all registries; nothing else of the file changes with it.
    package var credentialsStore: String? {
        didSet { text.set(Self.store, to: credentialsStore.map(JSONValue.quoted)) }
    }

    /// How many registries have their credential in the file itself.
    package var plainCredentialCount: Int {
        (members["auths"]?.members ?? [:]).values.count { entry in
            ["auth", "identitytoken", "registrytoken"].contains { entry[$0].string?.isEmpty == false }
        }
    }

    /// The registries that have another helper of their own.
    package var othersRegistries: [String] {
        // Docker takes a name in any case of its letters.
        let own = members.filter { $0.key.uppercased() == "CREDHELPERS" }.values.compactMap(\.members)
        return own.joined().filter { $0.value.string != Self.helper }.map(\.key).sorted()
    }

    /// The file.
    package var bytes: [UInt8] { text.bytes }

    /// The name by which Docker finds the program `docker-credential-keychain`.
    package static let helper = "keychain"
}
