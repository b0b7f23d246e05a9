// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore
import KeychainTestSupport
import Testing

/// Files that OpenSSL and Python write.
struct PKCS12Tests {
    @Test(
        "a file of OpenSSL holds its key and its certificates, whatever it is encrypted with",
        arguments: [
            "", "-keypbe AES-128-CBC -certpbe AES-192-CBC", "-legacy",
            "-legacy -certpbe PBE-SHA1-RC2-128 -keypbe PBE-SHA1-RC2-40",
            "-legacy -certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-2DES", "-certpbe NONE", "-keypbe NONE",
            "-keypbe NONE -certpbe NONE", "-macalg sha1", "-macalg sha384", "-macalg sha512", "-noiter -nomaciter",
            "-iter 10000", "-keypbe des-ede3-cbc -certpbe des-ede3-cbc",
        ]
    )
    func variants(_ options: String) throws {
        let files = try Files.shared.get()
        let name = String(options.filter { $0.isLetter || $0.isNumber }) + ".p12"
        let file = try PKCS12(files.pkcs12(name, options), password: "secret")
        #expect(file.privateKeys.map(\.privateKeyInfo) == [SecretBytes(files.privateKeyInfo)])
        #expect(Set(file.certificates.map(\.der)) == Set(files.certificates))
        // OpenSSL names a key and its certificate by the certificate's hash.
        let identifier = try #require(file.privateKeys[0].names.localKeyID)
        #expect(identifier.count == 20)
        #expect(file.certificates.filter { $0.names.localKeyID == identifier }.map(\.der) == [files.certificates[0]])
    }

    @Test(
        "passwords are taken in every script, and empty",
        arguments: ["", "a", "pässwörd €", "🐭🧀", String(repeating: "long ", count: 40)],
        ["", "-legacy"]
    )
    func passwords(_ password: String, _ options: String) throws {
        let files = try Files.shared.get()
        let name = "password-\(password.utf8.count)\(options).p12"
        let bytes = try files.pkcs12(name, options, password: password)
        let file = try PKCS12(bytes, password: password)
        #expect(file.privateKeys.map(\.privateKeyInfo) == [SecretBytes(files.privateKeyInfo)])
        let error = #expect(throws: ContainerError.self) { try PKCS12(bytes, password: password + "x") }
        #expect(error?.status == .authenticationFailed)
    }

    @Test("an empty password may have been used without its final zero")
    func emptyPasswordWithoutZero() throws {
        let files = try Files.shared.get()
        // Python passes no password on, and OpenSSL derives from nothing.
        try files.workshop.python(
            """
            from cryptography.hazmat.primitives.serialization import pkcs12, load_der_private_key, NoEncryption
            key = load_der_private_key(open('key.p8', 'rb').read(), None)
            open('bare.p12', 'wb').write(pkcs12.serialize_key_and_certificates(b'name', key, None, None, NoEncryption()))
            """
        )
        let file = try PKCS12(files.workshop.bytes("bare.p12"), password: "")
        #expect(file.privateKeys.map(\.privateKeyInfo) == [SecretBytes(files.privateKeyInfo)])
        #expect(file.privateKeys.map(\.names.friendlyName) == ["name"])
        #expect(file.certificates.isEmpty)
    }

    @Test("names are read in every script")
    func friendlyNames() throws {
        let files = try Files.shared.get()
        let bytes = try files.pkcs12("named.p12", "-name 'Mäuse €' -caname 'first' -caname 'second'")
        let file = try PKCS12(bytes, password: "secret")
        #expect(file.privateKeys.map(\.names.friendlyName) == ["Mäuse €"])
        let names = Dictionary(uniqueKeysWithValues: file.certificates.map { ($0.der, $0.names.friendlyName) })
        #expect(names[files.certificates[0]] == "Mäuse €")
        #expect(Set([names[files.certificates[1]], names[files.certificates[2]]]) == ["first", "second"])
    }

    @Test("a file of certificates only has no key")
    func certificatesOnly() throws {
        let files = try Files.shared.get()
        try files.workshop.run("openssl pkcs12 -export -nokeys -in chain.pem -passout pass:secret -out nokeys.p12")
        let file = try PKCS12(files.workshop.bytes("nokeys.p12"), password: "secret")
        #expect(file.privateKeys.isEmpty)
        #expect(Set(file.certificates.map(\.der)) == Set(files.certificates.dropFirst()))
    }

    @Test(
        "what is not implemented says so",
        arguments: ["-legacy -certpbe PBE-SHA1-RC4-128", "-nomac", "-legacy -macalg md5"]
    )
    func unsupported(_ options: String) throws {
        let files = try Files.shared.get()
        let name = "unsupported-" + options.filter { $0.isLetter } + ".p12"
        let bytes = try files.pkcs12(name, options)
        let error = #expect(throws: ContainerError.self) { try PKCS12(bytes, password: "secret") }
        #expect(error?.kind == .unsupported)
        #expect(error?.status == .decode)
    }

    @Test("contents under another password than the integrity check are not in order, and no wrong password")
    func twoPasswords() throws {
        let files = try Files.shared.get()
        _ = try files.pkcs12("other.p12", "", password: "other")
        let program = PasswordBasedCode.program("sha256", 9, input: "other.p12", output: "two.p12")
        try files.workshop.python(program)
        let error = #expect(throws: ContainerError.self) {
            try PKCS12(files.workshop.bytes("two.p12"), password: "secret")
        }
        #expect(error?.kind == .malformed)
        #expect(error?.status == .decode)
    }

    @Test("a file in BER, with lengths left open and strings in pieces, is read like one in DER")
    func basicEncoding() throws {
        let files = try Files.shared.get()
        let bytes = try files.pkcs12("ber.p12", "-legacy")
        let open = try OpenEncoding.of(bytes)
        #expect(open.count > bytes.count)
        let file = try PKCS12(open, password: "secret")
        #expect(file.privateKeys.map(\.privateKeyInfo) == [SecretBytes(files.privateKeyInfo)])
        #expect(Set(file.certificates.map(\.der)) == Set(files.certificates))
    }

    @Test("the integrity check of RFC 9579 is understood", arguments: [("sha1", 7), ("sha256", 9), ("sha512", 11)])
    func passwordBasedCode(_ hash: String, _ number: Int) throws {
        let files = try Files.shared.get()
        _ = try files.pkcs12("for-\(hash).p12", "")
        try files.workshop.python(PasswordBasedCode.program(hash, number, input: "for-\(hash).p12", output: hash))
        let bytes = try files.workshop.bytes(hash)
        let file = try PKCS12(bytes, password: "secret")
        #expect(file.privateKeys.map(\.privateKeyInfo) == [SecretBytes(files.privateKeyInfo)])
        let error = #expect(throws: ContainerError.self) { try PKCS12(bytes, password: "wrong") }
        #expect(error?.kind == .wrongPassword)
    }
}
