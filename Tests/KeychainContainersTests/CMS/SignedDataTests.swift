// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainTestSupport
import Testing

/// Signed messages, and certificates in such messages without contents.
struct SignedDataTests {
    @Test(
        "the contents of a message of OpenSSL are taken out exactly",
        arguments: [
            ("plain", "cms -sign -nodetach -binary -signer leaf.pem -inkey key.pem -certfile chain.pem"),
            ("streamed", "cms -sign -nodetach -binary -stream -signer leaf.pem -inkey key.pem -certfile chain.pem"),
            ("older", "smime -sign -nodetach -binary -signer leaf.pem -inkey key.pem -certfile chain.pem"),
            ("keyid", "cms -sign -nodetach -binary -keyid -signer root.pem -inkey ca.key -certfile keyid.rest"),
            (
                "sha512",
                "cms -sign -nodetach -binary -md sha512 -noattr -signer leaf.pem -inkey key.pem -certfile chain.pem"
            ),
        ]
    )
    func contents(_ name: String, _ command: String) throws {
        let files = try Files.shared.get()
        try files.workshop.run(
            """
            cat leaf.pem middle.pem > $1.rest
            head -c 70000 /dev/urandom > $1.bin
            openssl $2 -in $1.bin -outform DER -out $1.p7m
            """,
            name,
            command
        )
        let message = try SignedData(files.workshop.bytes("\(name).p7m"))
        #expect(message.contents == (try files.workshop.bytes("\(name).bin")))
        #expect(Set(message.certificates) == Set(files.certificates))
        #expect(message.signers.count == 1)
        switch message.signers.first {
        case .serialNumber(let number, let issuer)?:
            #expect(number == [3])
            #expect(issuer.first == 0x30)
        case .subjectKeyIdentifier(let identifier)?:
            #expect(name == "keyid")
            #expect(identifier.count == 20)
        case nil: Issue.record("there is no signer")
        }
    }

    @Test("a detached signature has no contents")
    func detached() throws {
        let files = try Files.shared.get()
        try files.workshop.run(
            "openssl cms -sign -binary -in key.p8 -signer leaf.pem -inkey key.pem -outform DER -out detached.p7s"
        )
        let message = try SignedData(files.workshop.bytes("detached.p7s"))
        #expect(message.contents == nil)
        #expect(message.signers.count == 1)
    }

    @Test("a message in BER, with lengths left open and strings in pieces, is read like one in DER")
    func basicEncoding() throws {
        let files = try Files.shared.get()
        try files.workshop.run(
            "openssl cms -sign -nodetach -binary -in key.p8 -signer leaf.pem -inkey key.pem -outform DER -out ber.p7m"
        )
        let der = try files.workshop.bytes("ber.p7m")
        let message = try SignedData(OpenEncoding.of(der))
        #expect(message.contents == files.privateKeyInfo)
    }

    @Test("what is no signed data says so")
    func unsupported() throws {
        let files = try Files.shared.get()
        try files.workshop.run(
            """
            openssl cms -encrypt -aes256 -in key.p8 -binary -outform DER -out enveloped.p7m leaf.pem
            openssl cms -digest_create -in key.p8 -binary -outform DER -out digested.p7m
            """
        )
        for name in ["enveloped", "digested"] {
            let error = #expect(throws: ContainerError.self) {
                try SignedData(files.workshop.bytes("\(name).p7m"))
            }
            #expect(error?.kind == .unsupported)
        }
        for bytes in [[], [0x30, 0x00], files.certificates[0], files.privateKeyInfo] {
            let error = #expect(throws: ContainerError.self) { try SignedData(bytes) }
            #expect(error?.kind == .malformed)
        }
    }

    @Test("a cut-off message is refused")
    func damaged() throws {
        let files = try Files.shared.get()
        let whole = try SignedData(certificates: files.certificates).encodedCertificates()
        for count in 0..<whole.count {
            #expect(throws: ContainerError.self) { try SignedData(Array(whole.prefix(count))) }
        }
    }

    @Test("OpenSSL lists the certificates of a file that was written, in their order")
    func certificates() throws {
        let files = try Files.shared.get()
        let bytes = try SignedData(certificates: files.certificates).encodedCertificates()
        try files.workshop.write(bytes, to: "written.p7b")
        try files.workshop.run(
            """
            openssl pkcs7 -inform DER -in written.p7b -print_certs -out written.txt
            grep -o 'subject=CN = [A-Za-z]*' written.txt | tr '\\n' ' ' > written.names
            test "$(cat written.names)" = 'subject=CN = Leaf subject=CN = Middle subject=CN = Root '
            """
        )
        let file = try SignedData(bytes)
        #expect(file == SignedData(certificates: files.certificates))
    }
}
