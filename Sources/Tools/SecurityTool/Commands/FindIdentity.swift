// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainEngine

/// `find-identity`: lists the certificates that have a private key, and those valid for a policy.
struct FindIdentity: Command {
    let options: OptionSyntax = "hp:s:v"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var policies: Set<IdentityPolicy> = []
        var name: Word?
        var showsValidOnly = false
        for option in invocation.arguments.options {
            switch option.letter {
            case "p":
                guard let policy = option.value.text.flatMap(IdentityPolicy.init) else { throw CommandFailure.usage }
                policies.insert(policy)
            case "s": name = option.value
            case "v": showsValidOnly = true
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        if policies.isEmpty { policies = [.basic] }
        if let name { try session.output.write("Looking for identities matching \"\(name)\"\n") }
        let (certificates, identities) = try found(in: invocation.arguments.operands, named: name, session: session)
        let now = SystemClock().now
        let pool = CertificatePool(certificates.map(\.certificate))
        var failure: KeychainError?
        for policy in IdentityPolicy.allCases where policies.contains(policy) {
            let judged = identities.map { identity -> (StoredCertificate, String?) in
                do throws(KeychainError) {
                    let reason = try policy.reason(
                        against: identity,
                        others: pool.possibleIssuers(of: identity.certificate),
                        name: name?.text,
                        at: now,
                        session.trustSettings
                    )
                    return (identity, reason)
                } catch {
                    failure = error
                    return (identity, "not evaluated")
                }
            }
            let valid = judged.filter { $0.1 == nil }
            if !showsValidOnly {
                try session.output.write("\nPolicy: \(policy.title)\n  Matching identities\n")
                try session.output.write(Self.lines(judged) + "     \(judged.count) identities found\n\n")
            }
            guard failure == nil else { continue }
            if !showsValidOnly { try session.output.write("  Valid identities only\n") }
            try session.output.write(Self.lines(valid) + "     \(valid.count) valid identities found\n")
        }
        if let failure {
            try session.errors.write("security: identities could not be evaluated: \(failure.reason)\n")
            return showsValidOnly ? 1 : 0
        }
        return 0
    }

    private static let function = "SecIdentitySearchCopyNext"

    /// Every certificate, and those of identities that match the name, as far as they can be shown.
    ///
    /// The status stays 0, as on macOS; possible omissions are reported on standard error.
    private func found(
        in operands: [Word],
        named name: Word?,
        session: Session
    ) throws -> (certificates: [StoredCertificate], identities: [StoredCertificate]) {
        let stores: [any ItemStore]
        var identities: [StoredCertificate] = []
        let certificates: [StoredCertificate]
        do throws(KeychainError) {
            stores = try session.keychains.searched(by: operands)
            for identity in try StoredIdentity.all(in: stores) {
                if let certificate = try StoredCertificate(identity.certificate) { identities.append(certificate) }
            }
            certificates = try StoredCertificate.all(in: stores)
        } catch {
            let failure = CommandFailure(error, in: Self.function)
            if let message = failure.message { try session.errors.write("\(message)\n") }
            try session.explainLock(failure.cause, operands)
            return ([], [])
        }
        try session.explainGaps(in: stores, of: [.certificate, .key], Self.function, operands)
        let name = name.map { String(decoding: $0.bytes.unprotectedCopy, as: UTF8.self) }
        return (certificates, identities.filter { identity in name.map { identity.answers(to: $0) } ?? true })
    }

    private static func lines(_ identities: [(StoredCertificate, String?)]) -> ByteText {
        identities.enumerated().reduce("") { text, entry in
            let (identity, reason) = entry.element
            let number = String(entry.offset + 1)
            let blanks = String(repeating: " ", count: max(3 - number.utf8.count, 0))
            let remark: ByteText = reason.map { " (\($0))" } ?? ""
            return text + "\(blanks)\(number)) \(identity.sha1) \"\(identity.name.printable)\"\(remark)\n"
        }
    }
}

extension StoredCertificate {
    /// Whether a name is part of the common name, or one of the certificate's hosts and addresses.
    fileprivate func answers(to name: String) -> Bool {
        isNamed(like: name) || certificate.names(emailAddress: name)
            || certificate.dnsNames.contains { $0.lowercased() == name.lowercased() }
    }
}
