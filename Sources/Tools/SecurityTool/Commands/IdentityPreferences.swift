// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd

/// `set-identity-preference`: chooses the identity for a service, or none.
///
/// - Important: Differs from macOS: the key usage (`-u`) has no effect.
struct SetIdentityPreference: Command {
    let options: OptionSyntax = "hnc:s:u:Z:"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var choice = CertificateChoice()
        var service: Word?
        var removes = false
        for option in invocation.arguments.options {
            switch option.letter {
            case "n": removes = true
            case "c": choice.name = option.value
            case "Z": choice.hash = option.value
            case "s": service = option.value
            case "u": continue
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        guard let service = service?.text, !service.isEmpty, removes || !choice.isEmpty else {
            throw CommandFailure.usage
        }
        let preference = IdentityPreference(service: service)
        let keychains = session.keychains
        try reporting("SecIdentitySetPreferred") { () throws(KeychainError) in
            let stores = try keychains.searched(by: invocation.arguments.operands)
            let preferenceStores = try keychains.searched(by: [])
            if removes {
                guard let item = try preference.item(in: preferenceStores) else {
                    return try preferenceStores.checkWithholdsNothing(of: [.genericPassword])
                }
                return try item.store.delete(item)
            }
            var certificates: [StoredCertificate] = []
            for identity in try StoredIdentity.all(in: stores) {
                if let certificate = try StoredCertificate(identity.certificate) { certificates.append(certificate) }
            }
            let chosen: StoredCertificate
            do throws(CertificateChoice.Failure) {
                chosen = try choice.select(from: certificates)
            } catch {
                if error == .notFound { try stores.checkWithholdsNothing(of: [.certificate, .key]) }
                throw KeychainError(.itemNotFound, "no identity, or more than one, fits")
            }
            try preference.set(chosen, in: preferenceStores) { () throws(KeychainError) in try keychains.target(nil) }
        }
        return 0
    }
}

/// `get-identity-preference`: prints the certificate of the identity for a service.
struct GetIdentityPreference: Command {
    let options: OptionSyntax = "hs:u:pcZ"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var service: Word?
        var shown: Set<Character> = []
        for option in invocation.arguments.options {
            switch option.letter {
            case "s": service = option.value
            case "u": continue
            case "p", "c", "Z": shown.insert(option.letter)
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        guard let service = service?.text, !service.isEmpty else { throw CommandFailure.usage }
        let found = try reporting("SecIdentityCopyPreferred") { () throws(KeychainError) in
            let stores = try session.keychains.searched(by: invocation.arguments.operands)
            guard let found = try IdentityPreference(service: service).certificate(in: stores) else {
                try stores.checkWithholdsNothing(of: [.genericPassword, .certificate])
                throw KeychainError(.itemNotFound, "there is no preference for the service")
            }
            return found
        }
        if shown.isEmpty { try session.output.write(AttributeBlock.text(found.item)) }
        if shown.contains("Z") { try session.output.write("SHA-1 hash: \(found.sha1)\n") }
        if shown.contains("c") { try session.output.write("common name: \"\(found.name.printable)\"\n") }
        if shown.contains("p") { try session.output.write(ByteText(found.pem)) }
        return 0
    }
}
