// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Security
import Testing

@testable import KeychainServices

/// Policies as objects.
struct PolicyFunctionTests {
    @Test("a policy says what it asks for")
    func policies() {
        #expect(SecPolicyCreateBasicX509().value == .basicX509)
        #expect(SecPolicyCreateSSL(true, "example.com").value == .tls(isServer: true, host: "example.com"))
        #expect(SecPolicyCreateSSL(false, nil).value == .tls(isServer: false, host: nil))
        #expect(CFGetTypeID(SecPolicyCreateBasicX509()) == SecPolicyGetTypeID())
        #expect(SecPolicyCreateRevocation(kSecRevocationOCSPMethod)?.value == .revocation(1))
        #expect(SecPolicyCreateRevocation(kSecRevocationRequirePositiveResponse) == nil)
    }

    @Test(
        "a policy is made by its identifier, and says it again",
        arguments: [
            (kSecPolicyAppleX509Basic, CertificatePolicy.basicX509),
            (kSecPolicyAppleSSL, .tls(isServer: true, host: nil)),
            (kSecPolicyAppleSMIME, .purpose(.emailProtection, isServer: true, name: nil)),
            (kSecPolicyAppleEAP, .purpose(.eap, isServer: true, name: nil)),
            (kSecPolicyAppleIPsec, .purpose(.ipsec, isServer: true, name: nil)),
            (kSecPolicyAppleCodeSigning, .purpose(.codeSigning, isServer: true, name: nil)),
            (kSecPolicyAppleTimeStamping, .purpose(.timeStamping, isServer: true, name: nil)),
            (kSecPolicyAppleIDValidation, .purpose(.appleID, isServer: true, name: nil)),
            (kSecPolicyMacAppStoreReceipt, .purpose(.macAppStoreReceipt, isServer: true, name: nil)),
            (kSecPolicyAppleiChat, .purpose(.chat, isServer: true, name: nil)),
            (kSecPolicyAppleRevocation, .revocation(0)),
        ].map { ($0.0 as String, $0.1) }
    )
    func identifiers(_ identifier: String, _ value: CertificatePolicy) throws {
        let policy = try #require(SecPolicyCreateWithProperties(identifier as CFString, nil))
        #expect(policy.value == value)
        let properties = SecPolicyCopyProperties(policy) as? [String: Any]
        #expect(properties?[kSecPolicyOid as String] as? String == identifier)
    }

    @Test(
        "an identifier of one side makes the policy of that side",
        arguments: [
            (kSecPolicyAppleSSLServer, CertificatePolicy.tls(isServer: true, host: "a")),
            (kSecPolicyAppleSSLClient, .tls(isServer: false, host: "a")),
            (kSecPolicyAppleEAPServer, .purpose(.eap, isServer: true, name: "a")),
            (kSecPolicyAppleEAPClient, .purpose(.eap, isServer: false, name: "a")),
            (kSecPolicyAppleIPSecServer, .purpose(.ipsec, isServer: true, name: "a")),
            (kSecPolicyAppleIPSecClient, .purpose(.ipsec, isServer: false, name: "a")),
        ].map { ($0.0 as String, $0.1) },
        [false, true]
    )
    func sides(_ policy: (identifier: String, value: CertificatePolicy), _ isClient: Bool) {
        let properties = [kSecPolicyName: "a", kSecPolicyClient: isClient] as CFDictionary
        #expect(SecPolicyCreateWithProperties(policy.identifier as CFString, properties)?.value == policy.value)
    }

    @Test("a policy is made by its identifier alone, for a server and any host")
    func identifierAlone() {
        #expect(SecPolicyCreateWithOID(kSecPolicyAppleSSL)?.value == .tls(isServer: true, host: nil))
        #expect(SecPolicyCreateWithOID(kSecPolicyAppleSSLClient)?.value == .tls(isServer: false, host: nil))
        #expect(SecPolicyCreateWithOID("1.2.840.113635.100.1.8.1" as CFString) == nil)
        #expect(SecPolicyCreateWithOID("1.2.3" as CFString) == nil)
        #expect(SecPolicyCreateWithOID(NSNumber(value: 1)) == nil)
    }

    @Test("properties are taken and given back")
    func properties() throws {
        let given = [kSecPolicyName: "a.example", kSecPolicyClient: true] as CFDictionary
        let policy = try #require(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, given))
        #expect(policy.value == .tls(isServer: false, host: "a.example"))
        let properties = try #require(SecPolicyCopyProperties(policy) as? [String: Any])
        #expect(properties[kSecPolicyName as String] as? String == "a.example")
        #expect(properties[kSecPolicyClient as String] as? Bool == true)
        let flags = [kSecPolicyRevocationFlags: 3] as CFDictionary
        let revocation = try #require(SecPolicyCreateWithProperties(kSecPolicyAppleRevocation, flags))
        #expect((SecPolicyCopyProperties(revocation) as? [String: Any])?["SecPolicyRevocationFlags"] as? Int == 3)
    }

    @Test("unknown identifiers and wrong types make no policy")
    func wrong() {
        #expect(SecPolicyCreateWithProperties("1.2.3" as CFString, nil) == nil)
        #expect(SecPolicyCreateWithProperties(NSNumber(value: 1), nil) == nil)
        for wrong in [[kSecPolicyName: 1], [kSecPolicyClient: "x"], [kSecPolicyRevocationFlags: "x"]] as [CFDictionary]
        {
            #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, wrong) == nil)
        }
    }
}
