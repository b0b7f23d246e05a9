// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost

/// What it costs to find an identity by its issuer among few certificates and among many.
struct IdentityRun {
    let rounds: Int
    let scratch: Scratch

    private static let sizes = [1_000, 10_000]
    private static let client = Client(accessGroups: EngineSubject.groups)
    private static let readsInATurn = 100
    /// Every hundredth certificate has its key, so that there are more keys the more certificates there are.
    private static let certificatesPerKey = 100

    func run(_ report: inout Report) throws {
        print(Report.identityHeading(rounds: rounds))
        var keychains: [EmbeddedKeychain] = []
        for size in Self.sizes {
            let folder = scratch.path("identities-\(size)")
            let keychain = EmbeddedKeychain(at: KeychainLocation(path: folder))
            try fill(keychain, size)
            keychains.append(keychain)
        }
        var samples = Samples(participants: keychains.count)
        for round in -1..<rounds {
            for turn in keychains.indices {
                let index = (turn + round + 1) % keychains.count
                let time = try turnTime(keychains[index], Self.sizes[index])
                if round >= 0 { samples.append([.processor: time], index) }
            }
        }
        for (index, size) in Self.sizes.enumerated() {
            print(report.identity(size, samples.median(.processor, index)))
        }
        let ratio = samples.ratio(.processor, 1, to: 0)
        print(report.identityGrowth("\(Self.sizes[0]) → \(Self.sizes[1])", ratio))
    }

    /// Certificates, each of another issuer, and keys for some of them.
    private func fill(_ keychain: EmbeddedKeychain, _ size: Int) throws {
        for number in 0..<size {
            let certificate: PropertyDictionary = [
                "class": .string("cert"), "issr": Self.issuer(number), "subj": Self.bytes("subject \(number)"),
                "slnr": Self.bytes("\(number)"), "pkhh": Self.bytes("key \(number)"), "ctyp": .number(.integer(3)),
                "v_Data": .data(SecretBytes([UInt8](repeating: 0x30, count: 800))),
            ]
            _ = try keychain.perform(KeychainRequest(.add(certificate), client: Self.client))
            guard number.isMultiple(of: Self.certificatesPerKey) else { continue }
            let key: PropertyDictionary = [
                "class": .string("keys"), "klbl": Self.bytes("key \(number)"), "priv": .boolean(true),
                "kcls": .string("1"), "type": .string("73"),
                "v_Data": .data(SecretBytes([UInt8](repeating: 4, count: 97))),
            ]
            _ = try keychain.perform(KeychainRequest(.add(key), client: Self.client))
        }
    }

    /// The processor's time of one lookup, in nanoseconds.
    private func turnTime(_ keychain: EmbeddedKeychain, _ size: Int) throws -> Double {
        let numbers = (0..<Self.readsInATurn).map { _ in
            Int.random(in: 0..<size / Self.certificatesPerKey) * Self.certificatesPerKey
        }
        let start = Clock.processor.now
        for number in numbers {
            let query: PropertyDictionary = [
                "class": .string("idnt"), "issr": Self.issuer(number), "r_Ref": .boolean(true),
            ]
            let answer = try keychain.perform(KeychainRequest(.copyMatching(query), client: Self.client))
            guard case .single(.reference(.identity)) = answer else { throw Failure("an identity was not found") }
        }
        return (Clock.processor.now - start) / Double(Self.readsInATurn)
    }

    private static func issuer(_ number: Int) -> PropertyValue { bytes("issuer \(number)") }

    private static func bytes(_ text: String) -> PropertyValue { .data(SecretBytes(Array(text.utf8))) }
}
