// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore
import KeychainTestSupport
import Testing

/// Documents between lines of dashes.
struct PEMDocumentTests {
    private static let abc = PEMDocument("ABC", SecretBytes(Array("abc".utf8)))

    @Test(
        "a document is read with text around it, and whatever ends its lines",
        arguments: [
            "-----BEGIN ABC-----\nYWJj\n-----END ABC-----\n", "-----BEGIN ABC-----\nYWJj\n-----END ABC-----",
            "text\n-----BEGIN ABC-----\nYWJj\n-----END ABC-----\nmore: text\n",
            "-----BEGIN ABC-----\r\nYWJj\r\n-----END ABC-----\r\n", "-----BEGIN ABC-----\rYWJj\r-----END ABC-----\r",
            "-----BEGIN ABC-----  \n\n YW \n\tJj\n\n-----END ABC----- \n",
            "-----BEGIN ABC-----\nY\nW\nJ\nj\n-----END ABC-----\n",
            "  -----BEGIN ABC-----\n  YWJj\n  -----END ABC-----\n",
            "\t-----BEGIN ABC-----\n\tYWJj\n\t-----END ABC-----\n",
            "abc: -----BEGIN ABC-----\nYWJj\n-----END ABC-----\n",
            "-----BEGIN ABC-----\nYWJj\n-----END ABC----- # end\n",
            "-----BEGIN ABC----- # beginning\nYWJj-----END ABC-----\n",
            "-----BEGIN ABC-----\nYWJj\n", "-----BEGIN ABC-----\nYWJj",
            "------BEGIN ABC------\nYWJj\n-----END ABC------\n",
            "----BEGIN ABC----\n-----BEGIN ABC-----\nYWJj\n-----END ABC-----\n",
        ]
    )
    func reads(_ text: String) throws {
        #expect(PEMDocument.isPresent(in: Array(text.utf8)))
        #expect(try PEMDocument.documents(in: Array(text.utf8)) == [Self.abc])
    }

    @Test("several documents are read in their order, among bytes that are no text")
    func several() throws {
        let other = PEMDocument("X Y", SecretBytes((0..<200).map { UInt8($0) }))
        let bytes = [0xFF, 0x0A] + Array(Self.abc.text.utf8) + [0xE4, 0x0A] + Array((other.text + Self.abc.text).utf8)
        #expect(try PEMDocument.documents(in: bytes) == [Self.abc, other, Self.abc])
    }

    @Test("what has no document has none", arguments: ["", "abc", "-----BEGIN ABC----", "-----END ABC-----"])
    func none(_ text: String) throws {
        #expect(!PEMDocument.isPresent(in: Array(text.utf8)))
        #expect(try PEMDocument.documents(in: Array(text.utf8)) == [])
    }

    @Test(
        "a broken document is refused",
        arguments: [
            ("-----BEGIN ABC-----\n", .malformed), ("-----BEGIN ABC-----\nYWJj\n-----END ABD-----\n", .malformed),
            ("-----BEGIN ABC-----YWJj-----END ABC-----\n", .malformed),
            ("-----BEGIN ABC-----\nYWJj\n-----BEGIN ABC-----\nYWJj\n-----END ABC-----\n", .malformed),
            ("-----BEGIN ABC-----\nYWJj\nmore, text\n", .malformed),
            ("-----BEGIN ABC-----\nYWJ\n-----END ABC-----\n", .malformed),
            ("-----BEGIN ABC-----\nY*Jj\n-----END ABC-----\n", .malformed),
            ("-----BEGIN ABC-----\n-----END ABC-----\n", .malformed),
            ("-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\n\nYWJj\n-----END A-----\n", .unsupported),
        ] as [(String, ContainerError.Kind)]
    )
    func broken(_ text: String, _ kind: ContainerError.Kind) {
        let error = #expect(throws: ContainerError.self) { try PEMDocument.documents(in: Array(text.utf8)) }
        #expect(error?.kind == kind)
    }

    @Test("base64 may stand alone", arguments: ["YWJj", "YW\n Jj\n", "\tY\r\nWJj\n\n"])
    func bare(_ text: String) {
        #expect(PEMDocument.bareContents(of: Array(text.utf8)) == Self.abc.bytes)
    }

    @Test("what is no base64 stands for nothing", arguments: ["", " ", "YWJ", "YWJj:", "abc\u{E4}", "-----"])
    func notBare(_ text: String) {
        #expect(PEMDocument.bareContents(of: Array(text.utf8)) == nil)
    }

    @Test("what is written is what OpenSSL writes")
    func writes() throws {
        let files = try Files.shared.get()
        let text = PEMDocument("CERTIFICATE", SecretBytes(files.certificates[0])).text
        #expect(try files.workshop.bytes("leaf.pem") == Array(text.utf8))
        #expect(try PEMDocument.documents(in: files.workshop.bytes("chain.pem")).count == 2)
    }
}
