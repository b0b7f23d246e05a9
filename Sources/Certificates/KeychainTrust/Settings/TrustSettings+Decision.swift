// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore

extension TrustSettings.Entry {
    /// The decision about the certificate for a policy; `nil` if there is none.
    ///
    /// Trust that is limited to a program is ignored, because no program on Linux can be named; a denial is not.
    func decision(for policy: CertificatePolicy, isSelfIssued: Bool) -> TrustSettings.Decision? {
        guard !rules.isEmpty else { return isSelfIssued ? .trustRoot : nil }
        let decisions = rules.filter { $0.fits(policy) }.compactMap { rule in
            rule.effect(isSelfIssued: isSelfIssued)
        }
        return decisions.contains(.deny) ? .deny : decisions.first
    }

    /// The codes that are ignored for a policy.
    func allowedErrors(for policy: CertificatePolicy) -> Set<Int32> {
        Set(rules.filter { $0.fits(policy) && $0.application == nil }.compactMap(\.allowedError))
    }
}

extension TrustSettings.Rule {
    /// `kSecTrustSettingsKeyUseSignCert`.
    private static let signsCertificates: UInt32 = 1 << 3

    fileprivate func fits(_ policy: CertificatePolicy) -> Bool {
        if let octets = self.policy, octets != ObjectIdentifierOctets.octets(policy.objectIdentifier) { return false }
        // Some policies share one object identifier, and have separate names; a denial under an unknown name is
        // nevertheless a denial.
        if let policyName, policyName != policy.settingsName {
            guard decision == .deny, !CertificatePolicy.settingsNames.contains(policyName) else { return false }
        }
        guard let string = policyString else { return true }
        return policy.name.map { HostName($0.lowercased()) == HostName(string.lowercased()) } ?? false
    }

    /// The decision, if it applies to such a certificate.
    fileprivate func effect(isSelfIssued: Bool) -> TrustSettings.Decision? {
        let decision = decision ?? .trustRoot
        guard decision != .deny else { return .deny }
        guard application == nil, keyUsage.map({ $0 & Self.signsCertificates != 0 }) ?? true else { return nil }
        switch decision {
        case .trustRoot: return isSelfIssued ? decision : nil
        case .trustAsRoot: return isSelfIssued ? nil : decision
        case .deny, .unspecified: return nil
        }
    }
}
