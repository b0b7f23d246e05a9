// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCertificates
import KeychainCore
import KeychainKeys
import KeychainTestSupport
import Testing

@testable import KeychainContainers

/// What files hold, as plain values.
struct ImportedFileTests {
    @Test(
        "items are found in their order, with the names that the file has for them",
        arguments: [
            ("id.p12", "secret", .pkcs12, ["identity Leaf: Friend", "certificate Root: "]),
            ("unnamed.p12", "secret", .pkcs12, ["identity Leaf: ", "certificate Root: "]),
            ("all.pem", nil, .pemSequence, ["private: ", "certificate Leaf: ", "certificate Root: "]),
            ("all.p7b", nil, .pkcs7, ["certificate Leaf: ", "certificate Root: "]),
        ] as [(String, String?, ExternalFormat, [String])]
    )
    func items(name: String, passphrase: String?, format: ExternalFormat, items: [String]) throws {
        let file = try ImportExportFiles.shared.get().load(name, passphrase)
        #expect(file.format == format)
        #expect(file.type == .aggregate)
        #expect(file.items.map(Self.text) == items)
        #expect(file.privateKeyCount == (format == .pkcs7 ? 0 : 1))
    }

    @Test(
        "all documents of a file share the work that one file may cost",
        arguments: [
            ("encrypted.pem", 1000), ("three-keys.pem", 3000), ("work.p12", 6000), ("key-and-identity.pem", 7000),
        ]
    )
    func work(_ name: String, _ work: Int) throws {
        let bytes = SecretBytes(try ImportExportFiles.shared.get().workshop.bytes(name))
        let error = #expect(throws: KeychainError.self) {
            try ImportedFile(bytes, passphrase: "secret", WorkBudget(left: work - 1))
        }
        #expect(error?.status == .unsupportedFormat)
        #expect(try !ImportedFile(bytes, passphrase: "secret", WorkBudget(left: work)).items.isEmpty)
    }

    @Test("the PKCS #12 documents of a file share the work that finding chains may cost")
    func chainWork() throws {
        let bytes = Array(try ImportExportFiles.shared.get().workshop.bytes("two-roots.p12"))
        let document = "-----BEGIN PKCS12-----\n\(Data(bytes).base64EncodedString())\n-----END PKCS12-----\n"
        func items(documents: Int, work: Int) throws -> [ExternalItem] {
            let text = SecretBytes(Array(String(repeating: document, count: documents).utf8))
            return try ImportedFile(text, passphrase: "secret", WorkBudget(), chainWork: work).items
        }
        let minimum = try #require((0...20).first { (try? items(documents: 1, work: $0)) != nil })
        try #require(minimum > 0)
        #expect(try !items(documents: 2, work: 2 * minimum).isEmpty)
        let error = #expect(throws: KeychainError.self) { try items(documents: 2, work: 2 * minimum - 1) }
        #expect(error?.status == .unsupportedFormat)
    }

    @Test(
        "what is expected counts where neither the marks of PEM nor the name of the file tell what is meant",
        arguments: [
            ("id.p12", .pkcs12, .certificate, nil, true), ("id.p12", .pkcs12, .aggregate, nil, true),
            ("id.p12", .x509Certificate, .unknown, nil, false), ("id.p12", .openSSL, .unknown, "id.p12", true),
            ("id.p12", .openSSL, .privateKey, ".PFX", true), ("id.p12", .openSSL, .unknown, "id", false),
            ("leaf.pem", .unknown, .certificate, nil, true), ("leaf.pem", .pemSequence, .aggregate, nil, true),
            ("leaf.pem", .unknown, .privateKey, nil, true), ("leaf.pem", .pkcs12, .privateKey, nil, true),
            ("key.pem", .openSSL, .privateKey, nil, true), ("key.pem", .x509Certificate, .certificate, nil, true),
            ("all.pem", .x509Certificate, .certificate, nil, true), ("all.pem", .openSSL, .privateKey, "a.cer", true),
            ("leaf.der", .unknown, .privateKey, nil, false), ("leaf.der", .openSSL, .unknown, nil, false),
            ("leaf.der", .openSSL, .privateKey, "leaf.der", true), ("bare.txt", .pkcs12, .unknown, nil, false),
            ("bare.txt", .pkcs12, .privateKey, "leaf.cer", true), ("bare.txt", .unknown, .certificate, "a.txt", true),
        ] as [(String, ExternalFormat, ExternalItemType, String?, Bool)]
    )
    func expectations(
        name: String,
        format: ExternalFormat,
        type: ExternalItemType,
        fileName: String?,
        isMet: Bool
    ) throws {
        let file = try ImportExportFiles.shared.get().load(name, "secret")
        let result = Result { () throws(KeychainError) in try file.expect(format, type, fileName: fileName) }
        switch result {
        case .success: #expect(isMet)
        case .failure(let error):
            #expect(!isMet)
            #expect(error.status == .unknownFormat)
        }
    }

    @Test(
        "a certificate is found in text of every form that is around",
        arguments: [
            "indented.yaml", "prefixed.yaml", "after.pem", "noend.pem", "bare.txt", "one-line.txt", "trusted.pem",
            "relabelled.pem", "crlf.pem", "cr.pem", "text.pem", "more.der", "newline.der",
        ]
    )
    func forms(_ name: String) throws {
        let file = try ImportExportFiles.shared.get().load(name)
        #expect(file.items.map(Self.text) == ["certificate Leaf: "])
        #expect(file.format == .x509Certificate && file.type == .certificate && file.privateKeyCount == 0)
        #expect(try file.items[0].reference == ImportExportFiles.shared.get().load("leaf.der").items[0].reference)
    }

    @Test(
        "text in another encoding, in one line, or of nothing is not recognized",
        arguments: ["bom.pem", "utf16.pem", "umlaut.pem", "line.pem", "text.txt", "binary"]
    )
    func otherText(_ name: String) throws {
        let files = try ImportExportFiles.shared.get()
        let error = #expect(throws: KeychainError.self) { try files.load(name) }
        #expect(error?.status == .unknownFormat)
    }

    @Test("an empty file is a wrong parameter")
    func empty() {
        let error = #expect(throws: KeychainError.self) { try ImportedFile(SecretBytes(), passphrase: nil) }
        #expect(error?.status == .parameter)
    }

    @Test("an identity is stored as its key, which has the name, and its certificate, which have their attributes")
    func storedItems() throws {
        let identity = try #require(ImportExportFiles.shared.get().load("id.p12", "secret").items.first)
        let items = identity.storedItems
        #expect(items.map(\.label) == ["Friend", nil])
        #expect(items.map(\.reference.itemClass) == [.key, .certificate])
        guard case .key(let key) = items[0].reference, case .certificate(let certificate) = items[1].reference,
            case .identity(let both) = identity.reference
        else { throw TestFailure() }
        #expect(both == IdentityReference(certificate: certificate, key: key))
        #expect(key.attributes["klbl"] == certificate.attributes["pkhh"])
        #expect(certificate.subjectSummary == "Leaf")
        #expect(items[0].attributesToAdd()["labl"] == .string("Friend"))
        #expect(items[0].attributesToAdd()["extr"] == nil)
        #expect(items[0].attributesToAdd(isExtractable: false)["extr"] == .boolean(false))
        #expect(items[1].attributesToAdd(isExtractable: false) == ["v_Ref": .reference(items[1].reference)])
        let unnamed = try ImportExportFiles.shared.get().load("key.pem").items[0]
        #expect(unnamed.attributesToAdd()["labl"] == .string("Imported Private Key"))
        // What the keychain answers with makes the same item.
        let again = try #require(ExternalItem(identity.reference, label: "Friend"))
        #expect(Self.text(again) == "identity Leaf: Friend")
        #expect(again.reference == identity.reference)
    }

    @Test("a reference to what is no key or certificate makes no item")
    func damagedReferences() {
        let certificate = CertificateReference(data: SecretBytes([1, 2, 3]))
        let key = KeyReference(attributes: ["type": .string("42"), "kcls": .string("1")], data: SecretBytes([4]))
        #expect(ExternalItem(.certificate(certificate)) == nil)
        #expect(ExternalItem(.key(key)) == nil)
        #expect(ExternalItem(.key(KeyReference(attributes: [:], data: nil))) == nil)
        #expect(ExternalItem(.identity(IdentityReference(certificate: certificate, key: key))) == nil)
    }

    /// A line about an item.
    static func text(_ item: ExternalItem) -> String {
        let label = item.label ?? ""
        switch item.contents {
        case .certificate(let certificate): return "certificate \(certificate.subjectSummary ?? ""): \(label)"
        case .key(.private): return "private: \(label)"
        case .key(.public): return "public: \(label)"
        case .identity(let certificate, _): return "identity \(certificate.subjectSummary ?? ""): \(label)"
        }
    }
}

/// Something else was found than a test needs.
struct TestFailure: Error {}
