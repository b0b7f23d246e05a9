// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTrust

/// `dump-trust-settings` (reference, section 8).
struct DumpTrustSettings: Command {
    let options: OptionSyntax = "hsd"

    private static let function = "SecTrustSettingsCopyCertificates"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var domain = TrustDomain.user
        for option in invocation.arguments.options {
            switch option.letter {
            case "s": domain = .system
            case "d": domain = .admin
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        guard invocation.arguments.operands.isEmpty else { throw CommandFailure.usage }
        let entries = try reportingTrust(Self.function) { () throws(KeychainError) in try Self.entries(domain, session)
        }
        try session.output.write("Number of trusted certs = \(entries.count)\n")
        for (number, entry) in entries.enumerated() {
            try session.output.write("Cert \(number): \(entry.name.printable)\n")
            try session.output.write("   Number of trust settings : \(entry.rules.count)\n")
            for (number, rule) in entry.rules.enumerated() {
                try session.output.write("   Trust Setting \(number):\n\(Self.text(rule))")
            }
        }
        return 0
    }

    private static func entries(
        _ domain: TrustDomain,
        _ session: Session
    ) throws(KeychainError) -> [(name: String, rules: [TrustSettings.Rule])] {
        if case .system = domain {
            return try TrustEvaluator.systemAnchors().map { (name(of: $0), []) }
        }
        let settings = try domain.settings(in: session.trustSettings)
        guard !settings.entries.isEmpty else { throw KeychainError.noTrustSettings }
        return settings.entries.sorted { $0.key < $1.key }.map { key, entry in
            (entry.certificate.map(name) ?? "<\(key)>", entry.rules)
        }
    }

    private static func name(of certificate: [UInt8]) -> String {
        (try? Certificate(der: certificate))?.subjectSummary ?? "<unnamed>"
    }

    private static func text(_ rule: TrustSettings.Rule) -> ByteText {
        var text = ByteText()
        func line(_ name: String, _ value: String?) {
            guard let value else { return }
            let blanks = String(repeating: " ", count: max(0, 22 - name.utf8.count))
            text += "      \(name)\(blanks): \(value)\n"
        }
        let identifier = rule.policy.flatMap(ObjectIdentifierOctets.text)
        let policy = identifier.flatMap { CertificatePolicy(objectIdentifier: $0, isServer: true, name: nil) }
        line("Policy OID", policy.map(PolicyName.title) ?? identifier)
        line("Policy String", rule.policyString)
        line("Allowed Error", rule.allowedError.map(errorName))
        line("Key Usage", rule.keyUsage.map { String($0) })
        line("Result Type", rule.decision.map(resultName))
        return text
    }

    private static func errorName(_ code: Int32) -> String {
        switch code {
        case OlderErrorCode.expired: "CSSMERR_TP_CERT_EXPIRED"
        case OlderErrorCode.hostName: "CSSMERR_APPLETP_HOSTNAME_MISMATCH"
        default: "\(code)"
        }
    }

    private static func resultName(_ decision: TrustSettings.Decision) -> String {
        switch decision {
        case .trustRoot: "kSecTrustSettingsResultTrustRoot"
        case .trustAsRoot: "kSecTrustSettingsResultTrustAsRoot"
        case .deny: "kSecTrustSettingsResultDeny"
        case .unspecified: "kSecTrustSettingsResultUnspecified"
        }
    }
}
