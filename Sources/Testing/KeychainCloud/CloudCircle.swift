// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainSimulation
import KeychainSync
import KeychainSynchronization

/// A device's part in a cloud.
final class CloudAccount: Sendable {
    let cloud: VirtualCloud
    let store: CloudStore
    let session: ZoneSession

    init(_ cloud: VirtualCloud, store: CloudStore, session: ZoneSession) {
        self.cloud = cloud
        self.store = store
        self.session = session
    }
}

/// The circle of a cloud: an engine in memory, a keeper that lets devices in and has no items, and the devices.
actor CloudCircle {
    private struct Member {
        weak var device: VirtualDevice?
        let account: CloudAccount
    }

    private let engine = MemoryEngine()
    private var keeper: (place: SyncPlace, session: ZoneSession)?
    private var members: [Member] = []

    /// Rounds until devices that exchange at once have nothing left; more would be a mistake of ours.
    private static let limit = 100

    func admit(_ device: VirtualDevice, to cloud: VirtualCloud) async throws(VirtualDeviceError) -> CloudAccount {
        do {
            let (place, keeper) = try await found()
            let identity = try SyncIdentity()
            let member = try SyncMember(identity, .owner, in: place.circle)
            while try await !keeper.admit(member) {}
            let store = CloudStore(device, place)
            let surroundings = ZoneSession.Surroundings(pause: { _ in }, random: { $0 / 2 })
            let session = ZoneSession(identity, in: place, store: store, engine: engine, surroundings: surroundings)
            let account = CloudAccount(cloud, store: store, session: session)
            members.append(Member(device: device, account: account))
            return account
        } catch {
            throw Self.failure(error)
        }
    }

    private func found() async throws -> (SyncPlace, ZoneSession) {
        if let keeper { return keeper }
        guard let code = RecoveryKey(SecretBytes(Bytes16.random().bytes)) else { throw SyncFault.key }
        let identity = try SyncIdentity()
        let date = Timestamp(secondsSinceReferenceDate: Date().timeIntervalSinceReferenceDate)
        let place = try await ZoneSession.found(identity, recoveryKey: code, in: engine, date: date)
        let session = ZoneSession(identity, in: place, store: KeeperStore(place), engine: engine)
        keeper = (place, session)
        return (place, session)
    }

    func settle(order: UInt64) async throws(VirtualDeviceError) {
        members.removeAll { member in
            guard let device = member.device else { return true }
            return device.cloudAccount !== member.account
        }
        var generator = OrderGenerator(state: order)
        do {
            for _ in 0..<Self.limit {
                var isQuiet = true
                for member in order == 0 ? members : members.shuffled(using: &generator) {
                    guard let device = member.device, device.isOnline else { continue }
                    let report = try await member.account.session.round()
                    if report.merged > 0 || report.sent > 0 { isQuiet = false }
                }
                _ = try await keeper?.session.round()
                if isQuiet { return }
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> VirtualDeviceError {
        switch error {
        case let error as VirtualDeviceError: error
        case let error as KeychainError: VirtualDeviceError(error)
        default: VirtualDeviceError(KeychainError(.internalComponent, "the cloud does not work: \(error)"))
        }
    }
}

/// SplitMix64, so that an order is the same for the same seed.
private struct OrderGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The store of the keeper, which only lets devices in: it takes no items.
private final class KeeperStore: SyncStore {
    private let contents: Guarded<MemoryBook.Contents>

    init(_ place: SyncPlace) { contents = Guarded(MemoryBook.Contents(place)) }

    func change<Result>(_ body: (SyncTransaction) throws -> Result) throws -> Result {
        try contents.withLock { contents in
            let book = MemoryBook(contents)
            let result = try body(SyncTransaction(book, KeeperItems()))
            contents = book.contents
            return result
        }
    }
}

private final class KeeperItems: SyncItems {
    let available = Set(SyncClass.allCases)

    var now: Timestamp { Timestamp(secondsSinceReferenceDate: Date().timeIntervalSinceReferenceDate) }

    func local(at slot: Bytes16) -> LocalVersion? { nil }

    func slots(after slot: Bytes16?, limit: Int) -> [Bytes16] { [] }

    func damaged() -> [Bytes16] { [] }

    func item(at slot: Bytes16) -> SyncItem? { nil }

    func accepts(_ item: SyncItem) -> Bool { false }

    func put(_ item: SyncItem, at slot: Bytes16) {}

    func remove(_ slot: Bytes16) {}

    func keepOverwritten(_ slot: Bytes16, by author: Bytes16) {}
}
