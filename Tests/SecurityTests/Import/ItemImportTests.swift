// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Security
import Testing

/// What `SecItemImport` makes of files, and `SecItemExport` of objects.
struct ItemImportTests {
    /// What an import gives.
    struct Outcome {
        var status: OSStatus
        var format = SecExternalFormat.formatUnknown
        var type = SecExternalItemType.itemTypeUnknown
        var items: [AnyObject]?
    }

    @Test(
        "certificates are found in text and without",
        arguments: [
            ("leaf.der", .formatX509Cert, .itemTypeCertificate, ["Leaf"]),
            ("leaf.pem", .formatX509Cert, .itemTypeCertificate, ["Leaf"]),
            ("all.pem", .formatPEMSequence, .itemTypeAggregate, ["Leaf", "Middle", "Root"]),
            ("pkcs7.pem", .formatPKCS7, .itemTypeAggregate, ["Leaf"]),
            ("all.p7b", .formatPKCS7, .itemTypeAggregate, ["Leaf", "Middle", "Root"]),
        ] as [(String, SecExternalFormat, SecExternalItemType, [String])]
    )
    func certificates(
        name: String,
        format: SecExternalFormat,
        type: SecExternalItemType,
        summaries: [String]
    ) throws {
        let outcome = try Self.load(name)
        #expect(outcome.status == errSecSuccess)
        #expect(outcome.format == format)
        #expect(outcome.type == type)
        let certificates = try #require(outcome.items as? [SecCertificate])
        #expect(certificates.map { SecCertificateCopySubjectSummary($0) as String? } == summaries)
    }

    @Test(
        "a failure is told by its status, and leaves the results alone",
        arguments: [
            ("wrapped.pem", nil, errSecPassphraseRequired), ("wrapped.p8", nil, errSecPassphraseRequired),
            ("id.p12", nil, errSecPassphraseRequired), ("wrapped.pem", "wrong", errSecAuthFailed),
            ("id.p12", "wrong", errSecPkcs12VerifyFailure), ("nomac.p12", "secret", errSecUnsupportedFormat),
            ("proctype.pem", "secret", errSecUnsupportedFormat), ("parameters.only", nil, errSecUnsupportedFormat),
        ] as [(String, String?, OSStatus)]
    )
    func failures(name: String, passphrase: String?, status: OSStatus) throws {
        let outcome = try Self.load(name, passphrase: passphrase)
        #expect(outcome.status == status)
        #expect(outcome.items == nil)
        #expect(outcome.format == .formatUnknown)
    }

    @Test(
        "what is no file of any format is not recognized",
        arguments: [[0], [0x30, 0x00], Array("text".utf8)] as [[UInt8]]
    )
    func unknown(_ bytes: [UInt8]) {
        let status = SecItemImport(Data(bytes) as CFData, nil, nil, nil, [], nil, nil, nil)
        #expect(status == errSecUnknownFormat)
    }

    @Test("a broken document of text is not recognized")
    func brokenText() {
        let text = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect(SecItemImport(Data(text.utf8) as CFData, nil, nil, nil, [], nil, nil, nil) == errSecUnknownFormat)
    }

    @Test("another format or kind than is expected is refused")
    func expectations() throws {
        let data = try ImportFiles.shared.get().data("leaf.der") as CFData
        for expected in [SecExternalFormat.formatUnknown, .formatX509Cert, .formatPEMSequence] {
            var format = expected
            #expect(SecItemImport(data, nil, &format, nil, [], nil, nil, nil) == errSecSuccess)
            #expect(format == .formatX509Cert)
        }
        for expected in [SecExternalFormat.formatPKCS12, .formatOpenSSL] {
            var format = expected
            #expect(SecItemImport(data, nil, &format, nil, [], nil, nil, nil) == errSecUnknownFormat)
            #expect(format == expected)
        }
        var type = SecExternalItemType.itemTypePrivateKey
        #expect(SecItemImport(data, nil, nil, &type, [], nil, nil, nil) == errSecUnknownFormat)
    }

    @Test("the marks of PEM and the name of the file count for more than what is expected")
    func hints() throws {
        let files = try ImportFiles.shared.get()
        var format = SecExternalFormat.formatX509Cert
        var type = SecExternalItemType.itemTypeCertificate
        var items: CFArray?
        let both = try files.data("leaf.pem") + files.data("key.pem")
        #expect(SecItemImport(both as CFData, nil, &format, &type, [], nil, nil, &items) == errSecSuccess)
        #expect(items?.count == 2 && format == .formatPEMSequence && type == .itemTypeAggregate)
        (format, type) = (.formatX509Cert, .itemTypeCertificate)
        let key = try files.data("key.pem") as CFData
        #expect(SecKeychainItemImport(key, nil, &format, &type, [], nil, nil, &items) == errSecSuccess)
        #expect(items?.count == 1 && format == .formatOpenSSL && type == .itemTypePrivateKey)
        (format, type) = (.formatOpenSSL, .itemTypePrivateKey)
        let certificate = try files.data("leaf.der") as CFData
        #expect(SecItemImport(certificate, ".cer" as CFString, &format, &type, [], nil, nil, &items) == errSecSuccess)
        #expect(items?.count == 1 && format == .formatX509Cert && type == .itemTypeCertificate)
    }

    @Test("no data is a wrong parameter")
    func empty() {
        var items: CFArray?
        #expect(SecItemImport(Data() as CFData, nil, nil, nil, [], nil, nil, &items) == errSecParam)
        #expect(SecKeychainItemImport(Data() as CFData, nil, nil, nil, [], nil, nil, &items) == errSecParam)
        #expect(items == nil)
    }

    @Test("a passphrase of another class than string and data is refused")
    func passphraseClass() throws {
        let passphrase = NSNumber(value: 1)
        var parameters = SecItemImportExportKeyParameters()
        parameters.passphrase = Unmanaged.passUnretained(passphrase)
        let data = try ImportFiles.shared.get().data("wrapped.pem") as CFData
        #expect(SecItemImport(data, nil, nil, nil, [], &parameters, nil, nil) == errSecInvalidPasswordRef)
        withExtendedLifetime(passphrase) {}
    }

    @Test("a certificate is exported as it is, or as text that OpenSSL would write")
    func exportCertificate() throws {
        let files = try ImportFiles.shared.get()
        let certificate = try #require(SecCertificateCreateWithData(nil, files.data("leaf.der") as CFData))
        #expect(try Self.export(certificate) == files.data("leaf.der"))
        #expect(try Self.export(certificate, .formatX509Cert) == files.data("leaf.der"))
        #expect(try Self.export(certificate, flags: .pemArmour) == files.data("leaf.pem"))
        #expect(try Self.export(certificate, .formatPEMSequence) == files.data("leaf.pem"))
    }

    @Test("several items are exported one after the other")
    func exportSequence() throws {
        let files = try ImportFiles.shared.get()
        let certificates = try ["leaf", "middle", "root"].map { name in
            try #require(SecCertificateCreateWithData(nil, files.data("\(name).der") as CFData))
        }
        #expect(try Self.export(certificates as CFArray) == files.data("all.pem"))
    }

    @Test("certificates are exported as a PKCS #7 file, whose order is theirs")
    func exportPKCS7() throws {
        let files = try ImportFiles.shared.get()
        let certificates = try ["leaf", "middle", "root"].map { name in
            try #require(SecCertificateCreateWithData(nil, files.data("\(name).der") as CFData))
        }
        try files.write(Self.export(certificates as CFArray, .formatPKCS7), to: "ours.p7b")
        try files.write(Self.export(certificates as CFArray, .formatPKCS7, flags: .pemArmour), to: "ours.p7b.pem")
        try files.run(
            """
            openssl pkcs7 -inform DER -in ours.p7b -print_certs | grep -c '^subject' > ours.count
            test "$(cat ours.count)" = 3
            openssl pkcs7 -in ours.p7b.pem -outform DER | cmp - ours.p7b
            """
        )
        let outcome = try Self.load("ours.p7b")
        #expect(outcome.format == .formatPKCS7)
        #expect(outcome.items as? [SecCertificate] == certificates)
    }

    @Test("an identity and a chain are exported as a PKCS #12 file, which OpenSSL and the import functions read")
    func exportPKCS12() throws {
        let files = try ImportFiles.shared.get()
        let imported = try #require(Self.load("id.p12", passphrase: "secret").items)
        #expect(imported.map { $0 is SecIdentity } == [true, false, false])
        let exported = try Self.export(imported as CFArray, .formatPKCS12, passphrase: "geheim")
        try files.write(exported, to: "ours.p12")
        try files.run(
            """
            openssl pkcs12 -in ours.p12 -passin pass:geheim -nodes -out ours.p12.pem
            test $(grep -c 'friendlyName: Leaf' ours.p12.pem) = 2
            test $(grep -c 'localKeyID' ours.p12.pem) = 2
            test $(grep -c 'BEGIN CERTIFICATE' ours.p12.pem) = 3
            openssl pkey -in ours.p12.pem -outform DER | cmp - key.sec1 || \
                openssl pkcs8 -topk8 -nocrypt -in ours.p12.pem -outform DER | cmp - key.p8
            """
        )
        let outcome = try Self.load("ours.p12", passphrase: "geheim")
        #expect(outcome.format == .formatPKCS12)
        #expect(outcome.items?.map { $0 as? SecIdentity } == imported.map { $0 as? SecIdentity })
        #expect(try Self.load("ours.p12", passphrase: "secret").status == errSecPkcs12VerifyFailure)
        let (status, items) = try PKCS12ImportTests.load("ours.p12", password: "geheim")
        #expect(status == errSecSuccess)
        #expect((items?.first?[kSecImportItemCertChain as String] as? [SecCertificate])?.count == 3)
        #expect(items?.first?[kSecImportItemLabel as String] as? String == "Leaf")
    }

    @Test("the older functions do the same")
    func olderFunctions() throws {
        let files = try ImportFiles.shared.get()
        let passphrase = NSString(string: "secret")
        var parameters = SecKeyImportExportParameters()
        parameters.passphrase = Unmanaged.passUnretained(passphrase)
        var format = SecExternalFormat.formatUnknown
        var items: CFArray?
        let data = try files.data("wrapped.pem") as CFData
        #expect(SecKeychainItemImport(data, nil, nil, nil, [], nil, nil, nil) == errSecPassphraseRequired)
        #expect(SecKeychainItemImport(data, nil, &format, nil, [], &parameters, nil, &items) == errSecSuccess)
        #expect(format == .formatWrappedPKCS8)
        let key = try #require(items?.firstObject as? SecKey)
        var exported: CFData?
        #expect(SecKeychainItemExport(key, .formatOpenSSL, .pemArmour, nil, &exported) == errSecSuccess)
        #expect(exported as Data? == (try files.data("key.pem")))
        #expect(SecKeychainItemExport(key, .formatWrappedPKCS8, [], nil, &exported) == errSecPassphraseRequired)
        #expect(SecKeychainItemExport(key, .formatWrappedPKCS8, [], &parameters, &exported) == errSecSuccess)
        withExtendedLifetime(passphrase) {}
    }

    @Test("what cannot be exported says so")
    func exportFailures() throws {
        let certificate = try #require(
            SecCertificateCreateWithData(nil, ImportFiles.shared.get().data("leaf.der") as CFData)
        )
        var data: CFData?
        #expect(SecItemExport(certificate, .formatNetscapeCertSequence, [], nil, &data) == errSecUnsupportedFormat)
        #expect(SecItemExport(certificate, .formatPKCS12, [], nil, &data) == errSecPassphraseRequired)
        let key = try KeyImportTests.key("key.pem")
        #expect(SecItemExport(key, .formatPKCS7, [], nil, &data) == errSecUnsupportedFormat)
        #expect(SecItemExport([] as CFArray, .formatUnknown, [], nil, &data) == errSecParam)
        #expect(SecItemExport("text" as CFString, .formatUnknown, [], nil, &data) == errSecParam)
        #expect(data == nil)
    }

    /// Imports a file.
    static func load(
        _ name: String,
        passphrase: String? = nil,
        flags: SecKeyImportExportFlags = [],
        to keychain: SecKeychain? = nil
    ) throws -> Outcome {
        var outcome = Outcome(status: errSecSuccess)
        let text = passphrase.map { NSString(string: $0) }
        var parameters = SecItemImportExportKeyParameters()
        parameters.flags = flags
        parameters.passphrase = text.map { Unmanaged.passUnretained($0) }
        var items: CFArray?
        let data = try ImportFiles.shared.get().data(name) as CFData
        outcome.status = SecItemImport(
            data,
            nil,
            &outcome.format,
            &outcome.type,
            [],
            &parameters,
            keychain,
            &items
        )
        withExtendedLifetime(text) {}
        outcome.items = items.map { $0.map { $0 as AnyObject } }
        return outcome
    }

    /// Exports objects, which must succeed.
    static func export(
        _ objects: AnyObject,
        _ format: SecExternalFormat = .formatUnknown,
        flags: SecItemImportExportFlags = [],
        passphrase: String? = nil
    ) throws -> Data {
        let text = passphrase.map { NSString(string: $0) }
        var parameters = SecItemImportExportKeyParameters()
        parameters.passphrase = text.map { Unmanaged.passUnretained($0) }
        var data: CFData?
        try #require(SecItemExport(objects, format, flags, &parameters, &data) == errSecSuccess)
        withExtendedLifetime(text) {}
        return try #require(data) as Data
    }
}
