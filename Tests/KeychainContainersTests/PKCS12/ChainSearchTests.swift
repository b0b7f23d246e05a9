// SPDX-License-Identifier: Apache-2.0

import KeychainCertificates
import KeychainCore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainContainers

/// How many signatures are verified for the keys of one file: who writes it decides how many could be.
struct ChainSearchTests {
    /// Counts, and finds no signature good.
    private final class Verifier: Sendable {
        private let pairs = Mutex<[[Certificate]]>([])

        var count: Int { pairs.withLock(\.count) }

        var distinct: Int { pairs.withLock { Set($0).count } }

        func search(_ certificates: [Certificate], work: Int = ChainSearch.maximumWork) -> ChainSearch {
            ChainSearch(certificates, work: work) { certificate, issuer in
                self.pairs.withLock { $0.append([certificate, issuer]) }
                return false
            }
        }
    }

    /// A file with the key of the leaf so many times, and so many certificates of each of two names that issue each
    /// other, of which one has issued the leaf.
    private static func file(keys: Int, certificates count: Int, copies: Int = 1) throws -> PKCS12 {
        let files = try Files.shared.get()
        let others = (0..<count).flatMap { number in
            [("Middle", "Other"), ("Other", "Middle")].map { subject, issuer in
                CertificateMaker.certificate(
                    subject: CertificateMaker.name(subject),
                    issuer: CertificateMaker.name(issuer),
                    serial: [1, UInt8(number)]
                )
            }
        }
        let key = PKCS12.PrivateKey(privateKeyInfo: SecretBytes(files.privateKeyInfo))
        let all = [files.certificates[0]] + Array(repeating: others, count: copies).joined()
        return PKCS12(
            privateKeys: Array(repeating: key, count: keys),
            certificates: all.map { PKCS12.Certificate(der: $0) }
        )
    }

    @Test("the same signature is verified once, however many keys and copies of certificates a file has")
    func once() throws {
        let (one, many) = (Verifier(), Verifier())
        let single = try PKCS12Items(Self.file(keys: 1, certificates: 8)) { one.search($0) }
        let file = try Self.file(keys: 200, certificates: 8, copies: 2)
        let items = try PKCS12Items(file) { many.search($0) }
        #expect(one.count > 8 && one.count == one.distinct)
        #expect(many.count == many.distinct && many.count <= one.count)
        #expect(items.entries.count == 200)
        #expect(single.entries[0].chain.count == CertificatePool.longestChain)
        #expect(Set(items.entries.map(\.chain)).count == 1)
        let certificates = items.items.compactMap { item in
            if case .certificate(let certificate) = item.contents { certificate } else { nil }
        }
        #expect(certificates.count == 16 && Set(certificates).count == 16)
    }

    @Test("a file that asks for more signatures than are allowed is refused as undecodable, and no more are verified")
    func budget() throws {
        let file = try Self.file(keys: 3, certificates: 8)
        let needed = Verifier()
        _ = try PKCS12Items(file) { needed.search($0) }
        let enough = Verifier()
        _ = try PKCS12Items(file) { enough.search($0, work: needed.count) }
        let less = Verifier()
        let error = #expect(throws: ContainerError.self) {
            try PKCS12Items(file) { less.search($0, work: needed.count - 1) }
        }
        #expect(error?.status == .decode)
        #expect(error?.reason == "the file asks for more work than is allowed")
        #expect(less.count == needed.count - 1)
    }

    @Test("the certificate of a key is the one with its identifier, else the first with its public key")
    func meant() throws {
        let files = try Files.shared.get()
        let leaf = PKCS12.Certificate(der: files.certificates[0], names: .init(friendlyName: "a", localKeyID: [1]))
        let same = PKCS12.Certificate(der: files.certificates[0], names: .init(friendlyName: "b", localKeyID: [2]))
        let other = PKCS12.Certificate(der: files.certificates[2], names: .init(friendlyName: "c", localKeyID: [3]))
        for (identifier, name) in [([1], "a"), ([2], "b"), ([3], "a"), ([4], "a"), (nil, "a")] as [([UInt8]?, String)] {
            let key = PKCS12.PrivateKey(
                privateKeyInfo: SecretBytes(files.privateKeyInfo),
                names: .init(localKeyID: identifier)
            )
            let items = try PKCS12Items(PKCS12(privateKeys: [key], certificates: [other, leaf, same]))
            #expect(items.entries.map(\.names.friendlyName) == [name])
        }
    }
}
