// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainContainers
import KeychainCore
import KeychainEngine
import KeychainKeys
import KeychainMessages

/// The certificates and keys that `cms` uses: of one keychain, or of all that are searched.
struct MessageKeys {
    private let keychain: Word?
    private let keychains: Keychains

    init(_ keychain: Word?, _ session: Session) {
        self.keychain = keychain
        keychains = session.keychains
    }

    /// The hash function with a name.
    static func digest(_ name: Word) throws(CommandFailure) -> DigestAlgorithm {
        guard let digest = name.text.flatMap({ DigestAlgorithm(rawValue: $0.uppercased()) }) else {
            throw CommandFailure("security: cms: unknown hash function \"\(name)\"")
        }
        return digest
    }

    /// The certificate and key with a common name or an e-mail address.
    ///
    /// - Throws: ``CommandFailure`` if there is none, or more than one.
    func signer(_ name: Word) throws(CommandFailure) -> (Certificate, PrivateKey) {
        let all = try CommandFailure.naming("signing") { () throws(KeychainError) in try identities() }
        let named = name.text.map { text in all.filter { $0.certificate.answers(to: text) } } ?? []
        guard let first = named.first else {
            try CommandFailure.naming("signing", checkWithholdsNothing)
            throw CommandFailure("security: cms: there is no identity \"\(name)\" to sign with")
        }
        guard Set(named.map(\.certificate)).count == 1 else {
            throw CommandFailure("security: cms: there is more than one identity \"\(name)\" to sign with")
        }
        return first
    }

    /// A certificate and its issuers from the keychains, except the root.
    func chain(_ certificate: Certificate) throws(KeychainError) -> [Certificate] {
        let pool = CertificatePool(try StoredCertificate.all(in: stores()).map(\.certificate))
        let chain = pool.chain(from: certificate) { $1.isSigned(by: $0) }
        return [certificate] + chain.dropFirst().filter { !$0.isSelfIssued }
    }

    /// The certificate of each recipient; of several with one name, the first valid one.
    ///
    /// - Parameter names: common names or e-mail addresses, separated by commas.
    /// - Returns: The certificates in the order of the names.
    /// - Throws: ``CommandFailure`` if there is none.
    func recipients(_ names: Word) throws(CommandFailure) -> [Certificate] {
        let all = try CommandFailure.naming("enveloping") { () throws(KeychainError) in
            try StoredCertificate.all(in: stores()).map(\.certificate)
        }
        let now = SystemClock().now
        var recipients: [Certificate] = []
        for name in (names.text ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            let named = all.filter { $0.answers(to: name) }
            guard let found = named.first(where: { $0.validity.contains(now) }) ?? named.first else {
                try CommandFailure.naming("enveloping") { () throws(KeychainError) in
                    try stores().checkWithholdsNothing(of: [.certificate])
                }
                throw CommandFailure("security: cms: there is no certificate \"\(name)\" to encrypt for")
            }
            recipients.append(found)
        }
        return recipients
    }

    private func stores() throws(KeychainError) -> [any ItemStore] {
        guard let keychain else { return try keychains.searched(by: []) }
        _ = try keychains.target(keychain)
        return try keychains.searched(by: [keychain])
    }

    /// Throws, rather than having no identity match, if there may be others that cannot be shown.
    ///
    /// - Throws: `errSecInteractionNotAllowed` and `errSecDecode` for an item, among others.
    func checkWithholdsNothing() throws(KeychainError) {
        try stores().checkWithholdsNothing(of: [.certificate, .key])
    }

    /// The certificates that have a private key, and the keys.
    func identities() throws(KeychainError) -> [(certificate: Certificate, key: PrivateKey)] {
        var identities: [(certificate: Certificate, key: PrivateKey)] = []
        for store in try stores() {
            for one in try store.references(.identity, skipsDamaged: true) {
                guard case .identity(let certificate, let key)? = ExternalItem(one.reference)?.contents else {
                    continue
                }
                identities.append((certificate, key))
            }
        }
        return identities
    }
}

extension CommandFailure {
    /// Performs a step of creating a message, and names it in an error.
    static func naming<Result>(
        _ activity: String,
        _ body: () throws(KeychainError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(KeychainError) {
            return try body()
        } catch {
            throw CommandFailure("security: problem \(activity): \(error.status.text)")
        }
    }
}

extension Certificate {
    /// Whether a text is the common name, or an e-mail address.
    fileprivate func answers(to name: String) -> Bool { commonName == name || names(emailAddress: name) }
}
