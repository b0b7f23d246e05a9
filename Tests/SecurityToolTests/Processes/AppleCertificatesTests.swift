// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// The commands of Documentation/AppleCertificates.md, with certificates of the same shape as Apple's.
struct AppleCertificatesTests {
    private let workshop: Workshop
    private let folder: TemporaryFolder
    private let shell: Shell

    /// A root, an issuer with its marker, and certificates for signing code, with critical markers as Apple's have.
    init() throws {
        folder = try TemporaryFolder()
        workshop = try Workshop()
        try workshop.run(
            """
            cat > config <<'END'
            [req]
            distinguished_name = name
            [name]
            [root]
            basicConstraints = critical, CA:TRUE
            keyUsage = critical, keyCertSign, cRLSign
            subjectKeyIdentifier = hash
            [issuer]
            basicConstraints = critical, CA:TRUE, pathlen:0
            keyUsage = critical, keyCertSign, cRLSign
            subjectKeyIdentifier = hash
            authorityKeyIdentifier = keyid
            1.2.840.113635.100.6.2.1 = ASN1:NULL
            [leaf]
            basicConstraints = critical, CA:FALSE
            keyUsage = critical, digitalSignature
            extendedKeyUsage = critical, codeSigning
            subjectKeyIdentifier = hash
            authorityKeyIdentifier = keyid
            1.2.840.113635.100.6.1.2 = critical, ASN1:NULL
            1.2.840.113635.100.6.1.12 = critical, ASN1:NULL
            [unknown]
            extendedKeyUsage = critical, codeSigning
            1.2.840.113635.100.6.3.1 = critical, ASN1:NULL
            [contents]
            extendedKeyUsage = critical, codeSigning
            1.2.840.113635.100.6.1.2 = critical, ASN1:UTF8:limit
            END
            new() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
            new root
            openssl req -x509 -new -key root.key -out root.pem -days 30 -config config -extensions root \\
                -subj "/C=US/O=Example Inc./OU=Example Certification Authority/CN=Example Root CA"
            sign() {
                new "$1"
                openssl req -new -key "$1.key" -out "$1.csr" -config config -subj "$3"
                openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -days 30 -extfile config -extensions "$4" -out "$1.pem"
            }
            sign issuer root "/CN=Example Worldwide Developer Relations Certification Authority/OU=G3/O=Example Inc./C=US" issuer
            sign leaf issuer "/UID=ABCDE12345/CN=Apple Development: Ada (ABCDE12345)/OU=TEAM123456/O=Ada/C=US" leaf
            sign unknown issuer "/CN=unknown" unknown
            sign contents issuer "/CN=contents" contents
            openssl x509 -in root.pem -outform der -out AppleIncRootCertificate.cer
            openssl x509 -in issuer.pem -outform der -out AppleWWDRCAG3.cer
            openssl pkcs12 -export -inkey leaf.key -in leaf.pem -passout pass:secret -out identity.p12
            """
        )
        for name in ["bin", "home"] {
            try FileManager.default.createDirectory(atPath: folder.path(of: name), withIntermediateDirectories: false)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "bin/security"),
            withDestinationPath: try DaemonFolder.program("security")
        )
        for name in ["AppleIncRootCertificate.cer", "AppleWWDRCAG3.cer"] {
            try Data(workshop.bytes(name)).write(to: URL(fileURLWithPath: folder.path(of: name)))
        }
        // In the place of Apple's server: the files by their names.
        let curl = "#!/bin/sh\nfor url; do :; done\ncp \"\(folder.path(of: ""))/${url##*/}\" .\n"
        try Data(curl.utf8).write(to: URL(fileURLWithPath: folder.path(of: "bin/curl")))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(of: "bin/curl"))
        shell = Shell(
            environment: [
                "SWIFT_KEYCHAIN_HOME": folder.path(of: "keychain"), "HOME": folder.path(of: "home"),
                "SWIFT_KEYCHAIN_AUTHENTICATOR": "none", "PATH": "\(folder.path(of: "bin")):/usr/bin:/bin",
            ]
        )
    }

    /// Runs commands in the home folder, and stops at the first that fails.
    private func run(_ commands: String) throws -> Shell.Outcome {
        try shell.run("/bin/sh", ["-ec", "cd \"$HOME\"\n\(commands)"])
    }

    private func file(_ name: String) throws -> String {
        let path = folder.path(of: "home/\(name)")
        try Data(workshop.bytes(name)).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The commands of the page, block by block, with the fingerprint of the test's root.
    private func blocks() throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let page = try String(
            contentsOf: root.appendingPathComponent("Documentation/AppleCertificates.md"),
            encoding: .utf8
        )
        let apple = "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024"
        #expect(page.components(separatedBy: apple).count == 3)
        let sum = try run("sha256sum ../AppleIncRootCertificate.cer").output.prefix(64)
        return page.components(separatedBy: "```sh\n").dropFirst().map { part in
            part.components(separatedBy: "```")[0].replacing(apple, with: sum)
        }
    }

    @Test("the commands of the page make an identity of Apple's shape valid, and trust ends with the last one")
    func page() throws {
        let blocks = try blocks()
        try #require(blocks.count == 5)
        _ = try file("identity.p12")
        #expect(try run("security import identity.p12 -P secret").status == 0)
        let before = try run("security find-identity -p codesigning").output
        #expect(before.contains("(CSSMERR_TP_NOT_TRUSTED)") && before.contains("     0 valid identities found"))
        #expect(try run(blocks[0]).output.contains("OU = G3"))
        let fetched = try run(blocks[1])
        #expect(fetched.output.contains("AppleIncRootCertificate.cer: OK"))
        #expect(fetched.output.contains("certificate verification successful"), "\(fetched)")
        let trusted = try run(blocks[2])
        #expect(
            trusted.output.contains("\"Apple Development: Ada (ABCDE12345)\"\n     1 valid identities found"),
            "\(trusted)"
        )
        #expect(try run(blocks[3]).output.contains("certificate verification successful"))
        // For signing code alone.
        #expect(try run("security find-identity -v -p ssl-server").output.contains("0 valid identities found"))
        #expect(try run(blocks[4]).status == 0)
        #expect(try run("security find-identity -v -p codesigning").output.contains("0 valid identities found"))
    }

    @Test("a file that is not the root of that fingerprint is refused")
    func otherRoot() throws {
        let block = try blocks()[1]
        _ = try run("cp ../AppleWWDRCAG3.cer ../AppleIncRootCertificate.cer")
        #expect(try run(block).status != 0)
    }

    @Test(
        "a critical extension is known only as a marker: in its arc, and without contents",
        arguments: ["unknown", "contents"]
    )
    func otherExtensions(_ name: String) throws {
        let certificate = try file("\(name).pem")
        let issuer = try file("issuer.pem")
        let outcome = try run(
            "security add-trusted-cert -r trustRoot ../AppleIncRootCertificate.cer\nsecurity verify-cert -c \(certificate) -c \(issuer) -p codeSign"
        )
        #expect(outcome.status != 0)
        #expect((outcome.output + outcome.errors).contains("CSSMERR_APPLETP_UNKNOWN_CRITICAL_EXTEN"), "\(outcome)")
    }
}
