// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// Identities are counted and ordered as if each pair of a certificate and a key were made, without making each.
@Suite(.timeLimit(.minutes(1)))
struct PairedHalvesTests {
    private static let hashes = (0..<4).map { _ in (certificate: Bytes16.random(), key: Bytes16.random()) }

    private static let weights = [1, 3, 5, 2]

    private static func distance(_ terms: TermSet) -> Int { terms.indices.reduce(0) { $0 + weights[$1] } }

    /// A half of a hash, which fails some terms, and may not open.
    private static func half(_ isKey: Bool, _ generator: inout SeededGenerator) -> PairedHalves.Half {
        let hash = hashes.randomElement(using: &generator)
        let isOpen = Int.random(in: 0..<4, using: &generator) > 0
        return PairedHalves.Half(
            link: isKey ? hash?.key : hash?.certificate,
            linkOfOthers: isOpen ? (isKey ? hash?.certificate : hash?.key) : nil,
            failed: TermSet(weights.indices.filter { _ in Bool.random(using: &generator) }),
            isPublicKey: isKey && Int.random(in: 0..<3, using: &generator) == 0
        )
    }

    @Test("the counts, the nearest and the lone ones are those of every pair", arguments: UInt64(0)..<40)
    func everyPair(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let certificates = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in Self.half(false, &generator) }
        let keys = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in Self.half(true, &generator) }
        var pairs: [(certificate: Int, key: Int)] = []
        for (certificate, half) in certificates.enumerated() {
            for (key, other) in keys.enumerated() {
                let isPair =
                    half.linkOfOthers.map { $0 == other.link } ?? false
                    || other.linkOfOthers.map { $0 == half.link } ?? false
                if isPair { pairs.append((certificate, key)) }
            }
        }
        let halves = PairedHalves(certificates: certificates, keys: keys)
        #expect(halves.pairCount == pairs.count)
        var failures: [TermSet: Int] = [:]
        let failed = { (pair: (certificate: Int, key: Int)) in
            certificates[pair.certificate].failed.union(keys[pair.key].failed)
        }
        for pair in pairs { failures[failed(pair), default: 0] += 1 }
        #expect(halves.failures == failures)
        let rank = { (pair: (certificate: Int, key: Int)) in
            (Self.distance(failed(pair)), keys[pair.key].isPublicKey ? 1 : 0, pair.certificate, pair.key)
        }
        let ordered = pairs.sorted { rank($0) < rank($1) }
        for limit in [0, 1, 3, 10, 200] {
            let nearest = halves.nearest(limit, Self.distance)
            #expect(
                nearest.map { [$0.certificate, $0.key] } == ordered.prefix(limit).map { [$0.certificate, $0.key] }
            )
        }
        let lone = halves.lone
        let paired = (Set(pairs.map(\.certificate)), Set(pairs.map(\.key)))
        #expect(
            lone.filter { $0.half == .certificate }.map(\.index)
                == certificates.indices.filter { !paired.0.contains($0) }
        )
        #expect(lone.filter { $0.half == .key }.map(\.index) == keys.indices.filter { !paired.1.contains($0) })
    }

    @Test("a set of terms has each once, in their order")
    func terms() {
        #expect(TermSet([200, 3, 64, 3]).indices == [3, 64, 200])
        #expect(TermSet([1, 63]).union(TermSet([255, 1])).indices == [1, 63, 255])
    }

    /// Adds so many certificates and keys of one hash.
    private static func fill(_ keychain: EmbeddedKeychain, _ count: Int) throws {
        for number in 0..<count {
            let name = PropertyValue.data(SecretBytes(Array("\(number)".utf8)))
            let hash = PropertyValue.data(SecretBytes([UInt8](repeating: 7, count: 20)))
            let certificate: PropertyDictionary = [
                "class": .string("cert"), "ctyp": .number(.integer(3)), "issr": .data(SecretBytes([0x30, 0])),
                "slnr": name, "pkhh": hash, "v_Data": .data(SecretBytes([1])),
            ]
            let key: PropertyDictionary = [
                "class": .string("keys"), "kcls": .number(.integer(1)), "klbl": hash, "atag": name,
                "type": .number(.integer(42)), "bsiz": .number(.integer(2048)), "priv": .boolean(true),
                "v_Data": .data(SecretBytes([1])),
            ]
            for item in [certificate, key] { _ = try keychain.perform(KeychainRequest(.add(item), client: client)) }
        }
    }

    private static let client = Client(accessGroups: ["a"])

    private static let every: PropertyDictionary = [
        "class": .string("idnt"), PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll),
        PropertyKey.returnAttributes: .boolean(true),
    ]

    @Test("each identity that a search returns counts as memory of its caller, and none that is only explained")
    func memory() throws {
        let reserved = Mutex(0)
        var device = DeviceOptions()
        device.reserveMemory = { byteCount in
            reserved.withLock { reserved in
                reserved += byteCount
                return reserved < 2 << 20
            }
        }
        let folder = try TemporaryFolder()
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: folder.path(of: "k")), device: device)
        try Self.fill(keychain, 30)
        reserved.withLock { $0 = 0 }
        let call = KeychainRequest(.copyMatching(Self.every), client: Self.client)
        let explanation = try keychain.explain(ExplanationRequest(call, ExplanationOptions(itemLimit: 10)))
        #expect(explanation.error == nil && explanation.search?.matchCount == 900)
        #expect(reserved.withLock(\.self) < 1 << 20)
        reserved.withLock { $0 = 0 }
        #expect(throws: KeychainError.self) { try keychain.perform(call) }
        var one = Self.every
        one[PropertyKey.matchLimit] = .number(.integer(100))
        reserved.withLock { $0 = 0 }
        #expect(try keychain.perform(KeychainRequest(.copyMatching(one), client: Self.client)) != .nothing)
    }

    @Test("hundreds of certificates and keys of one hash are explained by the nearest, and by how many there are")
    func manyOfOneHash() throws {
        let keychain = EmbeddedKeychain.inMemory()
        let count = 400
        try Self.fill(keychain, count)
        func explain(_ more: [String: PropertyValue]) throws -> ExplainedSearch {
            var query = Self.every
            for (key, value) in more { query[key] = value }
            let call = KeychainRequest(.copyMatching(query), client: Self.client)
            let explanation = try keychain.explain(ExplanationRequest(call, ExplanationOptions(itemLimit: 10)))
            return try #require(explanation.search)
        }
        let ofOne = try explain(["slnr": .data(SecretBytes(Array("7".utf8)))])
        for (search, matching) in [(ofOne, count), (try explain([:]), count * count)] {
            #expect(search.population == [.identity: count * count, .certificate: count, .key: count])
            #expect(search.matchCount == matching)
            #expect(search.candidates.count == 10 && search.isBounded)
            #expect(search.candidates.allSatisfy { $0.failed.isEmpty })
        }
        #expect(ofOne.patterns.map(\.count) == [count, count * (count - 1)].sorted(by: >))
    }
}
