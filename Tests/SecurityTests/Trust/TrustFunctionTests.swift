// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Security
import Testing

@testable import KeychainServices

/// `SecTrust`, as programs call it.
@Suite(.serialized)
struct TrustFunctionTests {
    private static func error(_ trust: SecTrust) -> Int? {
        var error: CFError?
        let isTrusted = SecTrustEvaluateWithError(trust, &error)
        #expect(isTrusted == (error == nil))
        if let error { #expect(CFErrorGetDomain(error) as String == NSOSStatusErrorDomain) }
        return error.map { CFErrorGetCode($0) }
    }

    @Test("a certificate is trusted, and gives its chain and key")
    func trusted() throws {
        let trust = try TrustCertificates.trust(
            ["server", "issuer"],
            SecPolicyCreateSSL(true, "www.example.com" as CFString)
        )
        var result = SecTrustResultType.otherError
        #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess && result == .invalid)
        #expect(SecTrustCopyResult(trust) == nil)
        #expect(Self.error(trust) == nil)
        #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess && result == .unspecified)
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
        #expect(try chain == ["server", "issuer", "root"].map(TrustCertificates.certificate))
        #expect(SecTrustGetCertificateCount(trust) == 3)
        #expect(try SecTrustGetCertificateAtIndex(trust, 2) == TrustCertificates.certificate("root"))
        #expect(SecTrustGetCertificateAtIndex(trust, 3) == nil)
        #expect(SecTrustGetCertificateAtIndex(trust, -1) == nil)
        let key = try #require(SecTrustCopyKey(trust))
        #expect(try key == SecCertificateCopyKey(TrustCertificates.certificate("server")))
        #expect(SecTrustCopyPublicKey(trust) == key)
        let details = try #require(SecTrustCopyResult(trust) as? [String: Any])
        #expect(details[kSecTrustResultValue as String] as? Int == 4)
        #expect(details[kSecTrustEvaluationDate as String] as? Date == TrustCertificates.date)
        #expect(SecTrustGetVerifyTime(trust) == TrustCertificates.date.timeIntervalSinceReferenceDate)
    }

    @Test(
        "an error has Apple's code",
        arguments: [
            ("expired", "www.example.com", ["root"], errSecCertificateExpired),
            ("future", "www.example.com", ["root"], errSecCertificateNotValidYet),
            ("server", "example.org", ["root"], errSecHostNameMismatch),
            ("server", "www.example.com", ["other root"], errSecNotTrusted),
            ("client", nil, ["root"], errSecInvalidExtendedKeyUsage),
            ("no purpose", "www.example.com", ["root"], errSecInvalidExtendedKeyUsage),
            ("any purpose", "www.example.com", ["root"], errSecInvalidExtendedKeyUsage),
            ("unknown critical", nil, ["root"], errSecUnknownCertExtension),
            ("forged", nil, ["root"], errSecNotSigner),
        ] as [(String, String?, [String], OSStatus)]
    )
    func errors(name: String, host: String?, anchors: [String], code: OSStatus) throws {
        let policy = SecPolicyCreateSSL(true, host.map { $0 as CFString })
        let trust = try TrustCertificates.trust([name, "issuer"], policy, anchors: anchors)
        #expect(Self.error(trust) == Int(code))
        var result = SecTrustResultType.invalid
        #expect(SecTrustEvaluate(trust, &result) == errSecSuccess)
        #expect(
            result == (name == "forged" || name == "unknown critical" ? .fatalTrustFailure : .recoverableTrustFailure)
        )
    }

    @Test("an error says which certificate, and what is wrong")
    func errorText() throws {
        var error: CFError?
        #expect(try !SecTrustEvaluateWithError(TrustCertificates.trust(["expired", "issuer"]), &error))
        #expect(error?.localizedDescription == "“expired” certificate is expired")
        var mismatch: CFError?
        let policy = SecPolicyCreateSSL(true, "example.org" as CFString)
        #expect(try !SecTrustEvaluateWithError(TrustCertificates.trust(["server", "issuer"], policy), &mismatch))
        #expect(mismatch?.localizedDescription == "“server” certificate name does not match input")
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.localizedDescription.contains("certificate 0, “expired”") == true)
    }

    @Test("what is set counts from the next evaluation on")
    func changes() throws {
        let trust = try TrustCertificates.trust(["server", "issuer"], anchors: nil)
        #expect(Self.error(trust) == Int(errSecNotTrusted))
        let root = try [TrustCertificates.certificate("root")] as CFArray
        #expect(SecTrustSetAnchorCertificates(trust, root) == errSecSuccess)
        #expect(Self.error(trust) == nil)
        var anchors: CFArray?
        #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess)
        #expect(anchors?.count == 1)
        #expect(SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess)
        #expect(Self.error(trust) == nil)
        let policies = [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, "example.org" as CFString)] as CFArray
        #expect(SecTrustSetPolicies(trust, policies) == errSecSuccess)
        #expect(Self.error(trust) == Int(errSecHostNameMismatch))
        var copied: CFArray?
        #expect(SecTrustCopyPolicies(trust, &copied) == errSecSuccess)
        #expect(copied?.count == 2)
        #expect(SecTrustSetPolicies(trust, SecPolicyCreateBasicX509()) == errSecSuccess)
        #expect(SecTrustSetVerifyDate(trust, Date(timeIntervalSince1970: 0) as CFDate) == errSecSuccess)
        #expect(Self.error(trust) == Int(errSecCertificateNotValidYet))
        #expect(SecTrustSetAnchorCertificates(trust, nil) == errSecSuccess)
        #expect(Self.error(trust) == Int(errSecNotTrusted))
        #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess && anchors == nil)
    }

    @Test("arguments of other classes are refused")
    func wrongArguments() throws {
        var trust: SecTrust?
        let root = try TrustCertificates.certificate("root")
        for wrong in [NSString("x"), NSArray(), NSArray(array: [root, "x"]), NSData()] as [CFTypeRef] {
            #expect(SecTrustCreateWithCertificates(wrong, nil, &trust) == errSecParam)
        }
        #expect(SecTrustCreateWithCertificates(root, NSString("x"), &trust) == errSecParam)
        #expect(trust == nil)
        #expect(SecTrustCreateWithCertificates(root, nil, &trust) == errSecSuccess)
        let made = try #require(trust)
        #expect(SecTrustSetPolicies(made, NSArray()) == errSecParam)
        #expect(SecTrustSetAnchorCertificates(made, ["x"] as CFArray) == errSecParam)
        #expect(SecTrustSetOCSPResponse(made, NSString("x")) == errSecParam)
        #expect(CFGetTypeID(made) == SecTrustGetTypeID())
    }

    @Test("an evaluation on a queue calls back once, in the context of the call")
    func asynchronous() async throws {
        let trust = try TrustCertificates.trust(["expired", "issuer"])
        let queue = DispatchQueue(label: "trust")
        let answer: (Bool, Int?) = await withCheckedContinuation { continuation in
            let status = SecTrustEvaluateAsyncWithError(trust, queue) { _, isTrusted, error in
                continuation.resume(returning: (isTrusted, error?.code))
            }
            #expect(status == errSecSuccess)
        }
        #expect(answer.0 == false && answer.1 == Int(errSecCertificateExpired))
        let result: SecTrustResultType = await withCheckedContinuation { continuation in
            let status = SecTrustEvaluateAsync(trust, queue) { _, result in continuation.resume(returning: result) }
            #expect(status == errSecSuccess)
        }
        #expect(result == .recoverableTrustFailure)
    }

    @Test("exceptions make what they saw pass, and are refused for another certificate")
    func exceptions() throws {
        let trust = try TrustCertificates.trust(["expired", "issuer"], anchors: ["other root"])
        let exceptions = try #require(SecTrustCopyExceptions(trust))
        #expect(SecTrustSetExceptions(trust, exceptions))
        var result = SecTrustResultType.invalid
        #expect(SecTrustEvaluate(trust, &result) == errSecSuccess && result == .proceed)
        #expect(SecTrustSetExceptions(trust, nil))
        #expect(Self.error(trust) != nil)
        let other = try TrustCertificates.trust(["server", "issuer"], anchors: ["other root"])
        #expect(!SecTrustSetExceptions(other, exceptions))
        #expect(!SecTrustSetExceptions(other, Data([1, 2, 3]) as CFData))
        #expect(Self.error(other) == Int(errSecNotTrusted))
    }

    @Test("an answer about revocation counts")
    func revocation() throws {
        let trust = try TrustCertificates.trust(["revoked", "issuer"])
        #expect(Self.error(trust) == nil)
        let answer = try TrustCertificates.data("answer: revoked is revoked")
        #expect(SecTrustSetOCSPResponse(trust, answer as CFData) == errSecSuccess)
        #expect(Self.error(trust) == Int(errSecCertificateRevoked))
        #expect(SecTrustSetOCSPResponse(trust, nil) == errSecSuccess)
        let policies = [
            SecPolicyCreateBasicX509(),
            try #require(SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod | 8)),
        ]
        #expect(SecTrustSetPolicies(trust, policies as CFArray) == errSecSuccess)
        #expect(Self.error(trust) == Int(errSecIncompleteCertRevocationCheck))
        let good = try TrustCertificates.trust(["server", "issuer"])
        #expect(SecTrustSetPolicies(good, policies as CFArray) == errSecSuccess)
        let answers = try [TrustCertificates.data("answer: server is good")] as CFArray
        #expect(SecTrustSetOCSPResponse(good, answers) == errSecSuccess)
        #expect(Self.error(good) == nil)
        let details = SecTrustCopyResult(good) as? [String: Any]
        #expect(details?[kSecTrustRevocationChecked as String] as? Bool == true)
    }

    @Test("properties name each certificate, and what is wrong")
    func properties() throws {
        let trust = try TrustCertificates.trust(["expired", "issuer"])
        let properties = try #require(SecTrustCopyProperties(trust) as? [[String: String]])
        #expect(properties.map { $0["title"] } == ["expired", "issuer", "root"])
        #expect(properties.map { $0["error"] } == ["is expired", nil, nil])
    }

    @Test("the setting of the network is kept")
    func network() throws {
        let trust = try TrustCertificates.trust(["server"])
        var isAllowed: DarwinBoolean = false
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && isAllowed.boolValue)
        #expect(SecTrustSetNetworkFetchAllowed(trust, false) == errSecSuccess)
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && !isAllowed.boolValue)
    }

    @Test("options pass expired certificates over")
    func options() throws {
        let trust = try TrustCertificates.trust(["expired", "issuer"])
        #expect(SecTrustSetOptions(trust, [.allowExpired]) == errSecSuccess)
        #expect(Self.error(trust) == nil)
    }
}
