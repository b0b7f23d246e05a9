// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainSync

/// Bytes of an engine that nobody trusts: each reader refuses what is not its own, and none traps.
struct MalformedBytesTests {
    /// Each reader, and bytes that it accepts.
    private static func samples() throws -> [(name: String, bytes: [UInt8], read: ([UInt8]) throws -> Void)] {
        var circle = try SampleCircle()
        let (slot, record) = try circle.record("a")
        try circle.commit([(slot, record)])
        let beacon = try SyncBeacon(circle.chain, circle.log, by: circle.first, date: .referenceDate)
        let invitation = SyncInvitation(SampleCircle.code(1))
        let offer = SyncInvitation.Offer(
            circle.log,
            anchors: [circle.chain.anchor],
            sponsor: circle.first.keys.identifier,
            expiry: SampleCircle.date(9)
        )
        let request = SyncInvitation.Request(try SyncMember(circle.second, .owner, in: circle.place.circle), name: "n")
        let key = SampleCircle.recoveryKey
        let recipient = try SyncRecipient(
            key: circle.first.keys.receiving,
            expiry: SampleCircle.date(1),
            name: "ci"
        )
        let attributes = SampleCircle.attributes("a").filter { !SyncItem.local.contains($0.key) }
        return [
            ("entry", circle.entries[2].bytes, { _ = try MembershipEntry($0) }),
            ("commit", circle.commits[0].bytes, { _ = try SyncCommit($0) }),
            ("record", record.bytes, { _ = try SyncRecord($0) }),
            ("attributes", AttributeList.encode(attributes), { _ = try AttributeList.decode($0) }),
            ("beacon", beacon.bytes, { _ = try SyncBeacon($0) }),
            ("offer", try invitation.seal(offer), { _ = try invitation.offer($0, now: .referenceDate) }),
            (
                "plain offer", offer.encoded,
                { bytes in
                    var reader = SyncReader(plain: bytes[...], .offer)
                    _ = try SyncInvitation.Offer(&reader)
                }
            ),
            (
                "plain request", request.encoded,
                { bytes in
                    var reader = SyncReader(plain: bytes[...], .request)
                    _ = try SyncInvitation.Request(&reader)
                }
            ),
            ("locator", try SyncLocator.seal(SampleCircle.identifier(1), key), { _ = try SyncLocator.circle($0, key) }),
            ("recipients", SyncRecipient.encode([recipient]), { _ = try SyncRecipient.decode($0) }),
            ("description", ZoneDescription(name: "a", groups: ["b"]).encoded, { _ = try ZoneDescription($0) }),
        ]
    }

    @Test("cut short, or with a byte more, nothing is read")
    func length() throws {
        for (name, bytes, read) in try Self.samples() {
            try read(bytes)
            // A record's end is its tag, which only opening checks.
            for count in bytes.indices {
                let cut = Array(bytes[..<count])
                #expect(throws: SyncFault.self, "\(name), \(count)") { try read(cut) }
            }
            let longer = bytes + [0]
            #expect(throws: SyncFault.self, "\(name)") { try read(longer) }
        }
    }

    @Test("other magic bytes are malformed, and another version says so")
    func version() throws {
        for (name, bytes, read) in try Self.samples() where bytes.starts(with: Array("SKS".utf8)) {
            var newer = bytes
            newer[4] = 1
            let fault = #expect(throws: SyncFault.self) { try read(newer) }
            guard case .newerFormat(_, 1)? = fault else {
                Issue.record("\(name): \(String(describing: fault))")
                continue
            }
            var other = bytes
            other[3] = 0
            #expect(throws: SyncFault.self) { try read(other) }
        }
    }

    @Test("random changes never trap", arguments: [1, 2] as [UInt64])
    func random(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for (_, bytes, read) in try Self.samples() {
            for _ in 0..<300 {
                var altered = bytes
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    altered[Int.random(in: altered.indices, using: &generator)] = .random(
                        in: 0...255,
                        using: &generator
                    )
                }
                try? read(altered)
            }
        }
    }

    @Test("a length of four gigabytes reserves nothing")
    func lengths() throws {
        var list: [UInt8] = []
        list.append(littleEndian: UInt32.max)
        #expect(throws: SyncFault.tooLarge(.entry)) { try SyncRecipient.decode(list) }
        #expect(throws: SyncFault.tooLarge(.entry)) { try ZoneDescription(list) }
        let big = [UInt8](repeating: 0, count: 512 * 1024 + 1)
        #expect(throws: SyncFault.tooLarge(.record)) { try SyncRecord(big) }
        #expect(throws: SyncFault.tooLarge(.entry)) { try MembershipEntry(big) }
        #expect(throws: SyncFault.tooLarge(.commit)) { try SyncCommit(big) }
        #expect(throws: SyncFault.tooLarge(.beacon)) { try SyncBeacon(big) }
    }

    @Test(
        "dates that cannot be compared or raised are refused",
        arguments: [Double.nan, .infinity, -0.0, 1.1e12, -1e300]
    )
    func dates(_ seconds: Double) throws {
        var circle = try SampleCircle()
        try circle.commit([])
        var bytes = circle.commits[0].bytes
        var date: [UInt8] = []
        date.append(littleEndian: seconds.bitPattern)
        bytes.replaceSubrange(169..<177, with: date)
        #expect(throws: SyncFault.malformed(.commit)) { try SyncCommit(bytes) }
    }
}
