// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainEngine
import KeychainTrust

/// `add-trusted-cert` (reference, section 8).
///
/// - Important: Differs from macOS: there is no dialog; other Linux programs do not use the settings.
struct AddTrustedCertificate: Command {
    let options: OptionSyntax = "hdr:p:a:s:e:u:k:i:o:D"

    private static let function = "SecTrustSettingsSetTrustSettings"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        let wishes = try Wishes(invocation, options)
        guard let file = invocation.arguments.operands.first else {
            throw CommandFailure(status: CommandFailure.usage.status, "No cert file specified.")
        }
        guard invocation.arguments.operands.count == 1 else { throw CommandFailure.usage }
        let certificate = try CertificateFile.require(file, in: session)
        if wishes.input != nil || wishes.output != nil {
            try change(wishes, for: certificate, in: session)
            return 0
        }
        if let keychain = wishes.keychain { try CertificateKeychains.add(certificate, to: keychain, session.keychains) }
        let domain: TrustSettingsStore.Domain = wishes.isForAll ? .admin : .user
        try reportingTrust(Self.function) { () throws(KeychainError) in
            try session.trustSettings.change(domain) { (settings) throws(KeychainError) in
                try settings.set(wishes.rules, for: certificate, at: SystemClock().now)
            }
        }
        return 0
    }

    /// Changes settings in a file, which requires no permission.
    private func change(_ wishes: Wishes, for certificate: Certificate, in session: Session) throws {
        var settings = TrustSettings()
        if let input = wishes.input { settings = try TrustSettingsFile.read(input, for: Self.function, in: session) }
        try reportingTrust(Self.function) { () throws(KeychainError) in
            try settings.set(wishes.rules, for: certificate, at: SystemClock().now)
        }
        guard let path = wishes.output ?? wishes.input else { return }
        try TrustSettingsFile.write(settings, path)
    }

    /// The requested settings.
    private struct Wishes {
        var isForAll = false
        var keychain: Word?
        var input: Word?
        var output: Word?
        private var decision: TrustSettings.Decision?
        private var policies: [CertificatePolicy] = []
        private var strings: [String] = []
        private var errors: [Int32] = []
        private var keyUsage: UInt32?

        init(_ invocation: Invocation, _ syntax: OptionSyntax) throws(CommandFailure) {
            for option in invocation.arguments.options {
                switch option.letter {
                case "d": isForAll = true
                // The default settings of all users, which are the same here.
                case "D": continue
                case "r": decision = try Self.decision(option.value)
                case "p": policies.append(try PolicyName.policy(option.value))
                case "s":
                    guard let text = option.value.text else { throw .usage }
                    strings.append(text)
                case "e": errors.append(try Self.error(option.value))
                case "u":
                    guard let usage = option.value.text.flatMap({ Int64($0) }) else { throw .usage }
                    keyUsage = UInt32(truncatingIfNeeded: usage)
                case "a": throw CommandFailure("security: add-trusted-cert: trust cannot be limited to a program")
                case "k": keychain = option.value
                case "i": input = option.value
                case "o": output = option.value
                default: throw .usage
                }
            }
            try invocation.checkOptions(syntax)
        }

        /// A rule for each policy, string and error; empty if none was given, which means trust in every case.
        var rules: [TrustSettings.Rule] {
            guard decision != nil || !policies.isEmpty || !strings.isEmpty || !errors.isEmpty || keyUsage != nil else {
                return []
            }
            var rules: [TrustSettings.Rule] = []
            for policy in policies.isEmpty ? [nil] : policies.map(Optional.some) {
                for string in strings.isEmpty ? [nil] : strings.map(Optional.some) {
                    for error in errors.isEmpty ? [nil] : errors.map(Optional.some) {
                        var rule = TrustSettings.Rule(decision ?? .trustRoot)
                        rule.policy = policy.map { ObjectIdentifierOctets.octets($0.objectIdentifier) }
                        rule.policyName = policy?.settingsName
                        rule.policyString = string
                        rule.allowedError = error
                        rule.keyUsage = keyUsage
                        rules.append(rule)
                    }
                }
            }
            return rules
        }

        private static func decision(_ word: Word) throws(CommandFailure) -> TrustSettings.Decision {
            switch word.text {
            case "trustRoot"?: return .trustRoot
            case "trustAsRoot"?: return .trustAsRoot
            case "deny"?: return .deny
            case "unspecified"?: return .unspecified
            default: throw .usage
            }
        }

        private static func error(_ word: Word) throws(CommandFailure) -> Int32 {
            switch word.text {
            case "certExpired"?: return OlderErrorCode.expired
            case "hostnameMismatch"?: return OlderErrorCode.hostName
            case let text?:
                guard let code = Int32(text) else { throw .usage }
                return code
            case nil: throw .usage
            }
        }
    }
}
