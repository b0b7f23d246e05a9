// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCore
import Testing

@testable import KeychainSync

/// Invitations, recovery, recipients.
struct JoiningTests {
    private var circle: SampleCircle
    private let invitation = SyncInvitation(SampleCircle.code(0x40))
    private let now = SampleCircle.date(100)

    init() throws { circle = try SampleCircle() }

    private func offer(_ role: SyncRole = .owner) -> SyncInvitation.Offer {
        SyncInvitation.Offer(
            circle.log,
            anchors: [circle.chain.anchor],
            sponsor: circle.first.keys.identifier,
            expiry: SampleCircle.date(1_000),
            role: role,
            zones: role == .writer ? [circle.place.zone] : []
        )
    }

    @Test("a device that has the code learns circle and anchor, and the sponsor its keys")
    func invite() throws {
        let offer = offer()
        let sealed = try invitation.seal(offer)
        let read = try SyncInvitation(SampleCircle.code(0x40)).offer(sealed, now: now)
        #expect(read == offer && read.isConfirmed(by: circle.log))
        let member = try SyncMember(circle.second, .owner, in: read.circle)
        let request = SyncInvitation.Request(member, name: "laptop")
        let answer = try invitation.request(invitation.seal(request), to: offer, now: now)
        #expect(answer == request)
        var circle = circle
        try circle.append(.add(answer.member, grants: [circle.grant(answer.member)]))
    }

    @Test("another code, an expired offer, an answer for another role or circle, and altered bytes are refused")
    func refused() throws {
        let offer = offer()
        let sealed = try invitation.seal(offer)
        let other = SyncInvitation(SampleCircle.code(0x41))
        #expect(other.identifier != invitation.identifier)
        #expect(throws: SyncFault.closed(.offer)) { try other.offer(sealed, now: now) }
        #expect(throws: SyncFault.expired) { try invitation.offer(sealed, now: SampleCircle.date(1_000)) }
        let member = try SyncMember(circle.second, .owner, in: circle.place.circle)
        let request = try invitation.seal(SyncInvitation.Request(member, name: "a"))
        #expect(throws: SyncFault.author(.request)) {
            try invitation.request(request, to: self.offer(.writer), now: now)
        }
        #expect(throws: SyncFault.expired) { try invitation.request(request, to: offer, now: SampleCircle.date(1_000)) }
        // An offer sent back is no request.
        #expect(throws: SyncFault.malformed(.request)) { try invitation.request(sealed, to: offer, now: now) }
        let stray = try SyncMember(circle.second, .owner, in: SampleCircle.identifier(1))
        let strayRequest = try invitation.seal(SyncInvitation.Request(stray, name: "a"))
        #expect(throws: SyncFault.signature(.request)) { try invitation.request(strayRequest, to: offer, now: now) }
        for index in sealed.indices {
            var bytes = sealed
            bytes[index] ^= 1
            #expect(throws: SyncFault.self) { try invitation.offer(bytes, now: now) }
        }
        let long = SyncInvitation.Request(member, name: String(repeating: "a", count: 257))
        #expect(throws: SyncFault.tooLarge(.request)) { try invitation.seal(long) }
    }

    @Test("an engine that shows the new device another history contradicts the offer")
    func anchor() throws {
        let offer = offer()
        let other = try SampleCircle()
        #expect(!offer.isConfirmed(by: try MembershipLog(circle.entries[0], circle: circle.place.circle)))
        var fork = try MembershipLog(circle.entries[0], circle: circle.place.circle)
        for _ in 0..<2 {
            try fork.append(MembershipEntry(.minimumFormat(0), after: fork, by: circle.first, date: .referenceDate))
        }
        #expect(!offer.isConfirmed(by: fork) && other.log.circle == circle.log.circle)
    }

    @Test("a recovery key finds its circle, is its member, opens its box and lets a device in")
    func recovery() throws {
        var circle = circle
        let key = SampleCircle.recoveryKey
        let location = try SyncLocator.seal(circle.place.circle, key)
        #expect(try SyncLocator.circle(location, key) == circle.place.circle)
        let wrong = SampleCircle.code(0x31)
        #expect(SyncLocator.identifier(wrong) != SyncLocator.identifier(key))
        #expect(throws: SyncFault.closed(.locator)) { try SyncLocator.circle(location, wrong) }
        #expect(throws: SyncFault.malformed(.locator)) { try SyncLocator.circle(location + [0], key) }
        let typed = try RecoveryKey(typed: key.text)
        let identity = try SyncIdentity(typed)
        #expect(circle.log.state.recovery?.keys == identity.keys)
        let box = try #require(circle.boxes[identity.keys.identifier])
        let zone = try #require(circle.log.state.zones[circle.place.zone])
        let sender = circle.first.keys.identifier
        let keys = try ZoneKeys(box, for: SyncReceiver(identity), from: sender, zone.epoch, in: circle.place)
        #expect(keys.epoch == circle.keys.epoch)
        let member = try SyncMember(circle.second, .owner, in: circle.place.circle)
        try circle.append(.add(member, grants: [circle.grant(member)]), by: identity)
    }

    @Test("recipients' boxes are under the root that is signed; an expired one gets none", arguments: [1, 2, 3, 7])
    func recipients(_ count: Int) throws {
        var circle = circle
        let receivers = try (0..<count).map { try SyncReceiver(recipientSeed: SampleCircle.seed(UInt8($0 + 1))) }
        let list = try receivers.map { receiver in
            try SyncRecipient(key: receiver.publicKey, expiry: SampleCircle.date(50), name: "ci")
        }
        #expect(list.map(\.identifier) == receivers.map(\.identifier))
        let read = try SyncRecipient.decode(SyncRecipient.encode(list))
        #expect(Set(read) == Set(list))
        #expect(SyncRecipient.current(read, now: SampleCircle.date(49)).count == count)
        #expect(SyncRecipient.current(read, now: SampleCircle.date(50)).isEmpty)
        let former = circle.keys
        circle.keys = try circle.keys.next()
        var boxes: [Bytes16: [UInt8]] = [:]
        for receiver in receivers {
            boxes[receiver.identifier] = try circle.keys.box(
                for: (receiver.identifier, receiver.publicKey),
                from: circle.first.keys.identifier,
                in: circle.place
            )
        }
        let tree = try #require(BoxTree(boxes.mapValues { SyncDigest(hashing: $0) }))
        try circle.append(.rotate([circle.epoch(after: former, recipients: tree)]))
        let epoch = try #require(circle.log.state.zones[circle.place.zone]).epoch
        for receiver in receivers {
            let path = try #require(tree.path(of: receiver.identifier))
            let value = BoxTree.encode(try #require(boxes[receiver.identifier]), path)
            let box = try BoxTree.box(value, of: receiver.identifier, under: epoch)
            let sender = circle.first.keys.identifier
            let keys = try ZoneKeys(box, for: receiver, from: sender, epoch, in: circle.place)
            #expect(keys.epoch == epoch.number)
            #expect(throws: SyncFault.closed(.box)) {
                try BoxTree.box(value, of: SampleCircle.identifier(1), under: epoch)
            }
            var altered = value
            altered[200] ^= 1
            #expect(throws: SyncFault.closed(.box)) { try BoxTree.box(altered, of: receiver.identifier, under: epoch) }
            #expect(throws: SyncFault.self) { try BoxTree.box(value + [0], of: receiver.identifier, under: epoch) }
        }
        #expect(tree.path(of: SampleCircle.identifier(1)) == nil && BoxTree([:]) == nil)
    }

    @Test("the description of a zone arrives as it was")
    func description() throws {
        let description = ZoneDescription(name: "deploy", groups: ["TEAM.a", "b"], maximumAge: 3_600)
        #expect(try ZoneDescription(description.encoded) == description)
        #expect(throws: SyncFault.malformed(.entry)) { try ZoneDescription(description.encoded + [0]) }
    }
}
