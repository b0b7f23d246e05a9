// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTrust

/// `delete-certificate`, and `delete-identity`, which also deletes the private key.
struct DeleteCertificate: Command {
    /// Whether to delete only a certificate that has a private key, together with the key.
    let isIdentity: Bool

    let options: OptionSyntax = "hc:Z:t"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var choice = CertificateChoice()
        var dropsTrust = false
        for option in invocation.arguments.options {
            switch option.letter {
            case "c": choice.name = option.value
            case "Z": choice.hash = option.value
            case "t": dropsTrust = true
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        guard !choice.isEmpty else { throw CommandFailure.usage }
        let operands = invocation.arguments.operands
        let (certificates, identities) = try reporting(PasswordSearch.searching) { () throws(KeychainError) in
            let stores = try session.keychains.searched(by: operands)
            guard isIdentity else {
                let certificates = try StoredCertificate.all(in: stores)
                if choice.isNone(of: certificates) { try stores.checkWithholdsNothing(of: [.certificate]) }
                return (certificates, [StoredIdentity]())
            }
            let identities = try StoredIdentity.all(in: stores)
            var certificates: [StoredCertificate] = []
            for identity in identities {
                if let certificate = try StoredCertificate(identity.certificate) { certificates.append(certificate) }
            }
            if choice.isNone(of: certificates) { try stores.checkWithholdsNothing(of: [.certificate, .key]) }
            return (certificates, identities)
        }
        guard let found = try certificate(matching: choice, among: certificates, errors: session.errors) else {
            return 1
        }
        try reporting("SecKeychainItemDelete") { () throws(KeychainError) in
            try found.item.store.delete(found.item)
            // Another certificate of the same key, such as a renewed one, keeps the key.
            guard let key = identities.first(where: { $0.certificate.isSameItem(as: found.item) })?.key else { return }
            let isShared = identities.contains {
                $0.key.isSameItem(as: key) && !$0.certificate.isSameItem(as: found.item)
            }
            if !isShared { try key.store.delete(key) }
        }
        if dropsTrust { try dropTrust(in: found, session.trustSettings) }
        return 0
    }

    /// The matching certificate; `nil` if there is none, which is reported in the words of macOS, without a newline.
    private func certificate(
        matching choice: CertificateChoice,
        among certificates: [StoredCertificate],
        errors: Output
    ) throws -> StoredCertificate? {
        do throws(CertificateChoice.Failure) {
            return try choice.select(from: certificates)
        } catch {
            var text: ByteText = ""
            if error == .ambiguous {
                text = "security: \"\(choice.text)\" is ambiguous, matches more than one certificate\n"
            }
            try? errors.write(text + "Unable to delete certificate matching \"\(choice.text)\"")
            return nil
        }
    }

    /// Removes the user's trust settings for the certificate.
    private func dropTrust(in found: StoredCertificate, _ trustSettings: TrustSettingsStore) throws(CommandFailure) {
        try reporting("SecTrustSettingsRemoveTrustSettings") { () throws(KeychainError) in
            try trustSettings.change(.user) { (settings) throws(KeychainError) in
                settings.entries[TrustSettings.key(of: found.certificate.der)] = nil
            }
        }
    }
}
