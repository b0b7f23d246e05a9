// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport

/// Certificates that several suites look at.
enum Samples {
    /// A certificate with a name, and whatever else is asked for.
    static func certificate(
        subject: [UInt8] = CertificateMaker.name("subject"),
        serial: [UInt8] = [0x01],
        version: Int = 3,
        validity: [[UInt8]] = [
            CertificateMaker.utcTime("240101000000Z"), CertificateMaker.generalizedTime("21231208000000Z"),
        ],
        extensions: [[UInt8]] = []
    ) -> [UInt8] {
        CertificateMaker.certificate(
            subject: subject,
            issuer: CertificateMaker.name("issuer"),
            serial: serial,
            version: version,
            validity: validity,
            extensions: extensions
        )
    }

    /// The extension of alternative names, from tagged names.
    static func alternativeNames(_ names: [(tag: UInt8, content: [UInt8])]) -> [UInt8] {
        CertificateMaker.certificateExtension(
            "2.5.29.17",
            TestDER.sequence(names.flatMap { TestDER.value($0.tag, $0.content) })
        )
    }

    static func email(_ text: String) -> (tag: UInt8, content: [UInt8]) { (0x81, Array(text.utf8)) }
    static func dns(_ text: String) -> (tag: UInt8, content: [UInt8]) { (0x82, Array(text.utf8)) }
    static func address(_ bytes: [UInt8]) -> (tag: UInt8, content: [UInt8]) { (0x87, bytes) }

    /// The extension of purposes, from object identifiers.
    static func purposes(_ types: [String]) -> [UInt8] {
        CertificateMaker.certificateExtension(
            "2.5.29.37",
            TestDER.sequence(types.flatMap { TestDER.objectIdentifier($0) })
        )
    }

    /// The certificate of the conformance cases.
    static let mouse = bytes(
        """
        MIIBhTCCASugAwIBAgICEjQwCgYIKoZIzj0EAwIwOTEQMA4GA1UEAwwHTW91c2VDQTEYMBYGA1UEChMPTW91c2UgIGFuZCBTb25zMQswCQYD
        VQQGEwJHQjAgFw0yNDAxMDEwMDAwMDBaGA8yMTIzMTIwODAwMDAwMFowOTEQMA4GA1UEAwwHTW91c2VDQTEYMBYGA1UEChMPTW91c2UgIGFu
        ZCBTb25zMQswCQYDVQQGEwJHQjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLvGaKyClVPMm+tTTcK85pIFsZ7Cv1NTD25yv4iI+U1UOmkK
        yYvMo4DDH2ReZefSPaS8fnFOB3VfHEVDK9ohRqmjITAfMB0GA1UdDgQWBBQNYvHPwF7b4Th3HvsRMRqOuWVAnjAKBggqhkjOPQQDAgNIADBF
        AiEAr8RpDYWw+Xdmu2TYZz6cRtWTL2q2hhPr+q/7ugu/0x4CIEZkBdWMGOaVRqa8SbKuVO9kZQKG6op3z/t7O0f16soS
        """
    )

    /// The normalized content of its names, as the cases give it.
    static let mouseName = bytes(
        "MRAwDgYDVQQDDAdNb3VzZUNBMRcwFQYDVQQKEw5NT1VTRSBBTkQgU09OUzELMAkGA1UEBhMCR0I="
    )

    /// SHA-1 of its public key, which is also its key identifier.
    static let mouseKeyHash = bytes("DWLxz8Be2+E4dx77ETEajrllQJ4=")

    private static func bytes(_ text: String) -> [UInt8] {
        Array(Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
    }
}
