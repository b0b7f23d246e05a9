// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainContainers

/// Files that others have to read.
struct PKCS12WritingTests {
    @Test(
        "OpenSSL reads what was written, and finds the algorithms that it writes itself",
        arguments: [
            (
                .aes256, "", "PBES2, PBKDF2, AES-256-CBC, Iteration 2048, PRF hmacWithSHA256",
                "MAC: sha256, Iteration 2048"
            ),
            (.tripleDES, "-legacy", "pbeWithSHA1And3-KeyTripleDES-CBC, Iteration 2048", "MAC: sha1, Iteration 2048"),
        ] as [(ContainerEncryption, String, String, String)]
    )
    func openssl(encryption: ContainerEncryption, option: String, algorithm: String, code: String) throws {
        let files = try Files.shared.get()
        let name = "written-\(encryption).p12"
        let bytes = try Self.contents(files).encoded(password: "pässwörd", encryption: encryption, iterations: 2048)
        try files.workshop.write(bytes, to: name)
        try files.workshop.run(
            """
            openssl pkcs12 -in $1 -passin pass:pässwörd -nodes $2 -info -out $1.pem 2> $1.info
            grep -Fq "$4" $1.info
            grep -F "Shrouded Keybag: $3" $1.info
            grep -F "PKCS7 Encrypted data: $3" $1.info
            openssl pkey -in $1.pem -outform DER | cmp - key.p8 || openssl pkcs8 -topk8 -nocrypt -in $1.pem -outform DER | cmp - key.p8
            openssl pkcs12 -in $1 -passin pass:pässwörd -nokeys -clcerts $2 | openssl x509 -outform DER | cmp - leaf.der
            openssl pkcs12 -in $1 -passin pass:pässwörd -nokeys -cacerts $2 | openssl x509 -outform DER | cmp - middle.der
            test $(grep -c 'friendlyName: Mouse' $1.pem) = 2
            test $(grep -c 'localKeyID: 01 02 03' $1.pem) = 2
            test $(grep -c 'BEGIN CERTIFICATE' $1.pem) = 3
            ! openssl pkcs12 -in $1 -passin pass:password -nodes $2
            """,
            name,
            option,
            algorithm,
            code
        )
    }

    @Test("what was written is read again", arguments: [ContainerEncryption.aes256, .tripleDES], ["", "🐭 €", "a"])
    func roundTrip(_ encryption: ContainerEncryption, _ password: String) throws {
        let contents = try Self.contents(Files.shared.get())
        let bytes = try contents.encoded(password: password, encryption: encryption, iterations: 3)
        let file = try PKCS12(bytes, password: password)
        #expect(file.privateKeys.map(\.privateKeyInfo) == contents.privateKeys.map(\.privateKeyInfo))
        #expect(file.privateKeys.map(\.names) == contents.privateKeys.map(\.names))
        #expect(file.privateKeys.map(\.isShrouded) == [true])
        #expect(file.certificates.map(\.der) == contents.certificates.map(\.der))
        #expect(file.certificates.map(\.names) == contents.certificates.map(\.names))
        let error = #expect(throws: ContainerError.self) { try PKCS12(bytes, password: password + "x") }
        #expect(error?.kind == .wrongPassword)
        // Neither a salt nor a start is used twice.
        let second = try contents.encoded(password: password, encryption: encryption, iterations: 3)
        #expect(second != bytes)
    }

    @Test("Python's library reads what was written, certificates alone and keys alone included")
    func python() throws {
        let files = try Files.shared.get()
        let contents = try Self.contents(files)
        let all = try contents.encoded(password: "secret", iterations: 10)
        let certificates = PKCS12(privateKeys: [], certificates: contents.certificates)
        let keys = PKCS12(privateKeys: contents.privateKeys, certificates: [])
        try files.workshop.write(all, to: "all-written.p12")
        try files.workshop.write(
            certificates.encoded(password: "secret", iterations: 10),
            to: "certificates-written.p12"
        )
        try files.workshop.write(keys.encoded(password: "secret", iterations: 10), to: "keys-written.p12")
        try files.workshop.python(
            """
            from cryptography.hazmat.primitives.serialization import pkcs12, Encoding, PrivateFormat, NoEncryption
            def load(name):
                return pkcs12.load_pkcs12(open(name + '-written.p12', 'rb').read(), b'secret')
            def der(certificate):
                return certificate.certificate.public_bytes(Encoding.DER)
            read = lambda name: open(name + '.der', 'rb').read()
            plain = lambda key: key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
            file = load('all')
            assert plain(file.key) == open('key.p8', 'rb').read()
            assert der(file.cert) == read('leaf') and file.cert.friendly_name == 'Mouse'.encode()
            assert sorted(map(der, file.additional_certs)) == sorted([read('middle'), read('root')])
            file = load('certificates')
            assert file.key is None and len(file.additional_certs) == 3
            file = load('keys')
            assert plain(file.key) == open('key.p8', 'rb').read() and file.cert is None
            """
        )
    }

    @Test(
        "a password is hashed as often as the limit of work allows to read again",
        arguments: [(0, 600_000), (1, 600_000), (8, 600_000), (9, 545_454), (100, 58823), (10_000, 2048)]
    )
    func iterations(_ keys: Int, _ expected: Int) throws {
        let key = PKCS12.PrivateKey(privateKeyInfo: SecretBytes())
        let file = PKCS12(privateKeys: Array(repeating: key, count: keys), certificates: [])
        #expect(file.usualIterations(.aes256) == expected)
        #expect(file.usualIterations(.tripleDES) == 2048)
        // The code over all takes the derivation of PKCS #12.
        #expect(keys > 1000 || (keys + 1 + WorkBudget.Cost.pkcs12.rawValue) * expected <= WorkBudget().left)
    }

    @Test("without a number the usual one is taken")
    func usualIterations() throws {
        let files = try Files.shared.get()
        try files.workshop.write(Self.contents(files).encoded(password: "secret"), to: "usual.p12")
        try files.workshop.run(
            """
            openssl pkcs12 -in usual.p12 -passin pass:secret -info -noout 2> usual.info
            grep -q 'MAC: sha256, Iteration 600000' usual.info
            test $(grep -c 'AES-256-CBC, Iteration 600000' usual.info) = 2
            """
        )
        #expect(try PKCS12(files.workshop.bytes("usual.p12"), password: "secret").privateKeys.count == 1)
    }

    private static func contents(_ files: Files) throws -> PKCS12 {
        let names = PKCS12.BagNames(friendlyName: "Mouse", localKeyID: [1, 2, 3])
        let certificates = files.certificates.enumerated().map { index, der in
            PKCS12.Certificate(der: der, names: index == 0 ? names : PKCS12.BagNames())
        }
        let key = PKCS12.PrivateKey(privateKeyInfo: SecretBytes(files.privateKeyInfo), names: names)
        return PKCS12(privateKeys: [key], certificates: certificates)
    }
}
