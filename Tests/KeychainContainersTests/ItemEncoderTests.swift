// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainContainers

/// Items in files of each format.
struct ItemEncoderTests {
    @Test(
        "what is written is read again",
        arguments: [
            (.pkcs12, "id.p12"), (.pemSequence, "id.p12"), (.unknown, "all.pem"), (.pkcs7, "all.p7b"),
            (.openSSL, "key.pem"), (.wrappedPKCS8, "key.pem"), (.x509Certificate, "leaf.pem"),
        ] as [(ExternalFormat, String)],
        [false, true]
    )
    func roundTrip(_ file: (format: ExternalFormat, name: String), _ isArmored: Bool) throws {
        let format = file.format
        let items = try ImportExportFiles.shared.get().load(file.name, "secret").items
        var encoder = ItemEncoder(format, passphrase: "geheim")
        encoder.isArmored = isArmored
        let bytes = try encoder.file(items)
        #expect(
            bytes.unprotectedCopy.starts(with: "-----BEGIN ".utf8) == (isArmored || items.count > 1 && format.isText)
        )
        let file = try ImportedFile(bytes, passphrase: "geheim")
        let expected = format == .pkcs12 ? items : items.flatMap { $0.storedItems.reversed() }
        #expect(file.items.map(\.reference) == expected.map(\.reference))
        #expect(format == .unknown || format == .pemSequence || file.format == format)
    }

    @Test("a private key and a certificate that stand apart are put together under one identifier and name")
    func pairs() throws {
        let items = try ImportExportFiles.shared.get().load("all.pem").items
        let bytes = try ItemEncoder(.pkcs12, passphrase: "geheim").file(items + items)
        let container = try PKCS12(bytes.unprotectedCopy, password: "geheim")
        #expect(container.certificates.count == 2)
        #expect(container.privateKeys.map(\.names.friendlyName) == ["Leaf", "Leaf"])
        #expect(container.certificates.map(\.names.friendlyName) == ["Leaf", nil])
        #expect(container.privateKeys[0].names.localKeyID?.count == 20)
        #expect(container.privateKeys[0].names.localKeyID == container.certificates[0].names.localKeyID)
        #expect(container.certificates[1].names.localKeyID == nil)
    }

    @Test(
        "a passphrase is hashed as often as the limit of work allows to read again",
        arguments: [(1, 600_000), (10, 600_000), (100, 60_000), (2900, 2068)]
    )
    func iterations(_ keys: Int, _ expected: Int) throws {
        let items = try ImportExportFiles.shared.get().load("all.pem").items
        let all = Array(repeating: items[0], count: keys) + items[1...]
        #expect(ItemEncoder.iterations(all) == expected)
        // An empty passphrase is tried in two forms.
        #expect(2 * keys * expected <= WorkBudget().left)
    }

    @Test("private keys can be encrypted among other documents")
    func wrapped() throws {
        let items = try ImportExportFiles.shared.get().load("all.pem").items
        var encoder = ItemEncoder(.pemSequence)
        encoder.wrapsKeys = true
        var error = #expect(throws: KeychainError.self) { try encoder.file(items) }
        #expect(error?.status == .passphraseRequired)
        encoder.passphrase = "geheim"
        let bytes = try encoder.file(items)
        #expect(String(decoding: bytes.unprotectedCopy, as: UTF8.self).contains("BEGIN ENCRYPTED PRIVATE KEY"))
        error = #expect(throws: KeychainError.self) { try ImportedFile(bytes, passphrase: "wrong") }
        #expect(error?.status == .authenticationFailed)
        #expect(try ImportedFile(bytes, passphrase: "geheim").items.count == 3)
    }

    @Test("the older encryption is written where it is asked for")
    func older() throws {
        let files = try ImportExportFiles.shared.get()
        var encoder = ItemEncoder(.pkcs12, passphrase: "geheim")
        encoder.encryption = .tripleDES
        try files.workshop.write(encoder.file(files.load("id.p12", "secret").items).unprotectedCopy, to: "older.p12")
        try files.workshop.run(
            "openssl pkcs12 -in older.p12 -passin pass:geheim -legacy -nodes -info 2>&1 | grep -q 'KeyTripleDES-CBC'"
        )
    }

    @Test(
        "a format that does not take an item says so",
        arguments: [
            (.pkcs7, "key.pem"), (.x509Certificate, "key.pem"), (.openSSL, "leaf.pem"), (.wrappedPKCS8, "leaf.pem"),
            (.rawKey, "key.pem"), (.netscapeCertificateSequence, "leaf.pem"), (.wrappedOpenSSL, "key.pem"),
        ] as [(ExternalFormat, String)]
    )
    func unsupported(_ format: ExternalFormat, _ name: String) throws {
        let items = try ImportExportFiles.shared.get().load(name).items
        let error = #expect(throws: KeychainError.self) { try ItemEncoder(format, passphrase: "a").file(items) }
        #expect(error?.status == .unsupportedFormat)
    }

    @Test("nothing cannot be exported, and nothing is encrypted without a passphrase")
    func refusals() throws {
        let items = try ImportExportFiles.shared.get().load("key.pem").items
        var error = #expect(throws: KeychainError.self) { try ItemEncoder(.pkcs12, passphrase: "a").file([]) }
        #expect(error?.status == .parameter)
        for format in [ExternalFormat.pkcs12, .wrappedPKCS8] {
            error = #expect(throws: KeychainError.self) { try ItemEncoder(format).file(items) }
            #expect(error?.status == .passphraseRequired)
        }
    }
}

extension ExternalFormat {
    /// Whether several items of the format are text.
    fileprivate var isText: Bool { ![.pkcs12, .pkcs7].contains(self) }
}
