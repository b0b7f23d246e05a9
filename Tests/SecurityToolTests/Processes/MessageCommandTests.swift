// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// `security cms` and `openssl cms`, one with the messages of the other.
@Suite(.timeLimit(.minutes(30)))
struct MessageCommandTests {
    private let user: ToolUser
    private let workshop: Workshop

    init() throws {
        user = try ToolUser()
        workshop = try Workshop()
        try workshop.run(
            """
            openssl genrsa -out rsa.key 2048
            openssl ecparam -name prime256v1 -genkey -noout -out ec.key
            for name in rsa ec; do
                openssl req -x509 -new -key $name.key -subj /CN=$name -days 3650 -out $name.pem \\
                    -addext subjectAltName=email:$name@example.com
                openssl pkcs12 -export -inkey $name.key -in $name.pem -passout pass:secret -out $name.p12
            done
            head -c 50000 /dev/urandom > contents
            """
        )
        for name in ["rsa.p12", "ec.p12", "contents"] { try hand(name) }
        for name in ["rsa", "ec"] { try succeed(["import", "\(name).p12", "-P", "secret"]) }
    }

    /// Gives a file of the workshop to the user.
    private func hand(_ name: String) throws {
        try Data(workshop.bytes(name)).write(to: URL(fileURLWithPath: user.current.path(of: name)))
    }

    /// Takes a file of the user to the workshop.
    private func take(_ name: String) throws {
        try workshop.write(Array(Data(contentsOf: URL(fileURLWithPath: user.current.path(of: name)))), to: name)
    }

    private func succeed(_ arguments: [String]) throws {
        let result = try user.run(arguments)
        #expect(result.status == 0, "\(result.errorText)")
    }

    @Test(
        "OpenSSL verifies what is signed",
        arguments: [
            ("rsa", []), ("ec", ["-G", "-P"]), ("rsa@example.com", ["-G"]), ("ec", ["-H", "sha384"]),
            ("ec", ["-T", "-G"]), ("rsa", ["-H", "SHA1", "-T"]),
        ]
    )
    func signed(_ name: String, _ options: [String]) throws {
        try succeed(["cms", "-S", "-N", name] + options + ["-i", "contents", "-o", "signed.p7m"])
        try take("signed.p7m")
        try workshop.run(
            """
            cat rsa.pem ec.pem > roots.pem
            openssl cms -verify -binary -inform DER -CAfile roots.pem -purpose any -in signed.p7m -out verified $1
            cmp contents verified
            """,
            options.contains("-T") ? "-content contents" : ""
        )
    }

    @Test("OpenSSL decrypts what is encrypted, for every recipient")
    func encrypted() throws {
        try succeed(["cms", "-E", "-r", "rsa@example.com,ec", "-i", "contents", "-o", "encrypted.p7m"])
        try take("encrypted.p7m")
        try workshop.run(
            """
            for name in rsa ec; do
                openssl cms -decrypt -binary -inform DER -in encrypted.p7m -recip $name.pem -inkey $name.key -out decrypted
                cmp contents decrypted
            done
            """
        )
        try succeed(["cms", "-D", "-i", "encrypted.p7m", "-o", "decrypted"])
        try take("decrypted")
        try workshop.run("cmp contents decrypted")
    }

    @Test("what OpenSSL encrypted is decrypted with a key of the keychain", arguments: ["rsa", "ec"])
    func decrypted(_ name: String) throws {
        try workshop.run(
            "openssl cms -encrypt -binary -aes128 -in contents -outform DER -out theirs.p7m $1.pem",
            name
        )
        try hand("theirs.p7m")
        try succeed(["cms", "-D", "-i", "theirs.p7m", "-o", "decrypted"])
        try take("decrypted")
        try workshop.run("cmp contents decrypted")
        let header = try user.run(["cms", "-D", "-h", "0", "-n", "-i", "theirs.p7m"])
        #expect(header.outputText == "SMIME: \tlevel=0.0; type=envelopedData; \n")
    }

    @Test("who cannot sign or receive is named")
    func failures() throws {
        let cases: [([String], String)] = [
            (["-S", "-N", "nobody"], "security: cms: there is no identity \"nobody\" to sign with\n"),
            (["-S", "-N", "rsa", "-H", "MD5"], "security: cms: unknown hash function \"MD5\"\n"),
            (["-E", "-r", "rsa,nobody"], "security: cms: there is no certificate \"nobody\" to encrypt for\n"),
            (["-E", "-r", ""], "security: cms: there is no certificate \"\" to encrypt for\n"),
        ]
        for (arguments, text) in cases {
            let result = try user.run(["cms"] + arguments + ["-i", "contents"])
            #expect(result.status == 1)
            #expect(result.errorText == text)
        }
    }
}
