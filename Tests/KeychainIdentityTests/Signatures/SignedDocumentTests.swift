// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// Signed documents and team keys, as the standards have them, and forged ones.
struct SignedDocumentTests {
    private let key = TeamKey()

    private var payload: JSONValue { .object(["version": .integer(1), "team": .string("x")]) }

    private func document(_ purpose: SignedDocument.Purpose = .manifest) throws -> SignedDocument {
        try SignedDocument(payload, for: purpose, by: key)
    }

    @Test("the identifier of a team is the digest of its first key (the public key of RFC 8032, section 7.1, test 1)")
    func identifier() throws {
        let key = try #require(TeamPublicKey("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        #expect(TeamIdentifier(firstKey: key).description == "EH7DDX5BKSRGCYTL7BKAI36SE4")
        #expect(TeamIdentifier("EH7DDX5BKSRGCYTL7BKAI36SE4") == TeamIdentifier(firstKey: key))
    }

    @Test(
        "what is no identifier of a team",
        arguments: [
            "", "ABCDE12345", "ABCDEFGHIJKLMNOPQRSTUVWXYB", "abcdefghijklmnopqrstuvwxya", "ABCDEFGHIJKLMNOPQRSTUVWXY1",
        ]
    )
    func noIdentifier(_ text: String) { #expect(TeamIdentifier(text) == nil) }

    @Test("a document says what was signed, for what, and by whom")
    func roundTrip() throws {
        for purpose in SignedDocument.Purpose.allCases {
            let read = try SignedDocument(text: try document(purpose).text.utf8)
            #expect(read.purpose == purpose)
            #expect(read.signer == key.publicKey)
            #expect(String(decoding: read.payload, as: UTF8.self) == payload.text)
        }
    }

    @Test("a document that is cut off anywhere is refused")
    func truncated() throws {
        let text = Array(try document().text.utf8)
        for count in 0..<text.count {
            #expect(throws: IdentityError.self, "\(count)") { try SignedDocument(text: text[..<count]) }
        }
    }

    @Test("a document of which any character was changed is refused")
    func altered() throws {
        let text = Array(try document().text.utf8)
        for index in text.indices {
            for replacement in ["A", "b", ".", "-"].flatMap({ Array($0.utf8) }) where replacement != text[index] {
                var forged = text
                forged[index] = replacement
                #expect(throws: IdentityError.self, "\(index)") { try SignedDocument(text: forged) }
            }
        }
    }

    @Test("a document that passes for one of another purpose is refused")
    func otherPurpose() throws {
        let parts = try document(.rotation).text.split(separator: ".").map(String.init)
        let others = try document(.manifest).text.split(separator: ".").map(String.init)
        #expect(throws: IdentityError.self) {
            try SignedDocument(text: "\(others[0]).\(parts[1]).\(parts[2])".utf8)
        }
        #expect(throws: IdentityError.self) { try ProgramManifest(document(.rotation)) }
        #expect(throws: IdentityError.self) { try TeamStatement(document(.manifest)) }
    }

    @Test(
        "headers that say more, less or something else are refused",
        arguments: [
            #"{"alg":"none","jwk":{"crv":"Ed25519","kty":"OKP","x":"KEY"},"typ":"swift-keychain-manifest"}"#,
            #"{"alg":"HS256","jwk":{"crv":"Ed25519","kty":"OKP","x":"KEY"},"typ":"swift-keychain-manifest"}"#,
            #"{"alg":"Ed25519","jwk":{"crv":"Ed25519","kty":"OKP","x":"KEY"},"typ":"JWT"}"#,
            #"{"alg":"Ed25519","jwk":{"crv":"Ed25519","kty":"OKP","x":"KEY"}}"#,
            #"{"alg":"Ed25519","crit":["b64"],"jwk":{"crv":"Ed25519","kty":"OKP","x":"KEY"},"typ":"swift-keychain-manifest"}"#,
            #"{"alg":"Ed25519","jwk":{"crv":"Ed25519","kty":"OKP","x":"KEY"}, "typ":"swift-keychain-manifest"}"#,
            #"{"alg":"Ed25519","jwk":{"crv":"Ed25519","kty":"OKP","x":"KEY"},"typ":"swift-keychain-manifest","typ":"swift-keychain-manifest"}"#,
        ]
    )
    func headers(_ header: String) throws {
        let header = header.replacingOccurrences(of: "KEY", with: key.publicKey.description)
        let signed = Encodings.base64URL(header.utf8) + "." + Encodings.base64URL(payload.text.utf8)
        let text = signed + "." + Encodings.base64URL(try key.signature(of: Array(signed.utf8)))
        #expect(throws: IdentityError.self) { try SignedDocument(text: text.utf8) }
    }

    @Test("a document signed by one key with the name of another is refused")
    func otherSigner() throws {
        let other = TeamKey()
        let header = try SignedDocument(payload, for: .manifest, by: other).text.split(separator: ".")[0]
        let signed = "\(header)." + Encodings.base64URL(payload.text.utf8)
        let text = signed + "." + Encodings.base64URL(try key.signature(of: Array(signed.utf8)))
        #expect(throws: IdentityError.self) { try SignedDocument(text: text.utf8) }
    }

    @Test("the file of a private key is read again, and one that is anything else is refused")
    func keyFile() throws {
        let text = key.pem.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let read = try TeamKey(pem: SecretBytes(Array(text.utf8)))
        #expect(read.publicKey == key.publicKey)
        let longer = text.replacingOccurrences(of: "MC4", with: "MD4")
        let encrypted = text.replacingOccurrences(of: "PRIVATE", with: "ENCRYPTED PRIVATE")
        for other in ["", "x", longer, encrypted, String(text.dropLast(40))] {
            #expect(throws: IdentityError.self, "\(other.count)") { try TeamKey(pem: SecretBytes(Array(other.utf8))) }
        }
    }

    @Test("OpenSSL takes the file of a private key, and its signature is the same")
    func openSSL() throws {
        let folder = try TemporaryFolder()
        let message = Array("message".utf8)
        let file = folder.path(of: "key")
        try Data(key.pem.withUnsafeBytes { Array($0) }).write(to: URL(fileURLWithPath: file))
        try Data(message).write(to: URL(fileURLWithPath: folder.path(of: "message")))
        let words = ["pkeyutl", "-sign", "-rawin", "-inkey", file, "-in", folder.path(of: "message")]
        try PeerProgram.run(["/usr/bin/env", "openssl"] + words + ["-out", folder.path(of: "signature")])
        let signature = try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "signature")))
        #expect(key.publicKey.isSignature(Array(signature), of: message))
    }

    @Test("base 64 that another text stands for is refused", arguments: ["AB", "A", "AA==", "A+/A", "AAAAB", "AA A"])
    func base64(_ text: String) { #expect(Encodings.bytes(base64URL: text.utf8) == nil) }
}
