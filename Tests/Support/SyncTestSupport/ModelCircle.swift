// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync
import KeychainSynchronization
import KeychainTestSupport
import Synchronization

/// A circle of devices over an engine in memory, each with its own connection.
package final class ModelCircle: Sendable {
    /// One device of it.
    package struct Member: Sendable {
        /// Its store.
        package let device: ModelDevice
        /// Its keys.
        package let identity: SyncIdentity
        /// Its connection.
        package let connection: FaultyEngine
    }

    /// The engine.
    package let engine = MemoryEngine()
    /// The time.
    package let time = ModelTime()
    /// The zone.
    package let place: SyncPlace
    private let list: Mutex<[Member]>
    private let sessions: Mutex<[Int: ZoneSession]> = Mutex([:])

    /// The devices.
    package var members: [Member] { list.withLock { $0 } }

    package subscript(index: Int) -> ModelDevice { members[index].device }

    /// A circle of devices, all of which know each other.
    package init(_ count: Int) async throws {
        let founder = try SyncIdentity()
        guard let code = RecoveryKey(SecretBytes([UInt8](repeating: 7, count: 16))) else { throw SyncFault.key }
        let date = Timestamp(secondsSinceReferenceDate: time.now)
        place = try await ZoneSession.found(founder, recoveryKey: code, in: engine, date: date)
        list = Mutex([Self.member(founder, in: place, time, over: engine)])
        _ = try await round(0)
        for _ in 1..<max(count, 1) { try await join() }
        for index in members.indices { _ = try await round(index) }
    }

    private static func member(
        _ identity: SyncIdentity,
        in place: SyncPlace,
        _ time: ModelTime,
        over engine: MemoryEngine
    ) -> Member {
        let connection = FaultyEngine(engine, compact: { await engine.compact() })
        return Member(device: ModelDevice(place, time), identity: identity, connection: connection)
    }

    /// Lets a device in, by the first one.
    ///
    /// - Returns: Its number.
    @discardableResult
    package func join() async throws -> Int {
        let identity = try SyncIdentity()
        let member = try SyncMember(identity, .owner, in: place.circle)
        while try await !session(0).admit(member) {}
        return list.withLock { list in
            list.append(Self.member(identity, in: place, time, over: engine))
            return list.count - 1
        }
    }

    /// The session of a device.
    package func session(_ index: Int, offer: SyncInvitation.Offer? = nil) -> ZoneSession {
        let member = members[index]
        return sessions.withLock { sessions in
            if let session = sessions[index], offer == nil { return session }
            let session = ZoneSession(
                member.identity,
                in: place,
                store: member.device,
                engine: member.connection,
                offer: offer,
                surroundings: ZoneSession.Surroundings(pause: { _ in }, random: { $0 / 2 })
            )
            sessions[index] = session
            return session
        }
    }

    /// Ends the process of a device: what counts is in its store.
    package func restart(_ index: Int) { sessions.withLock { $0[index] = nil } }

    /// A round of a device.
    @discardableResult
    package func round(_ index: Int) async throws -> SyncReport { try await session(index).round() }

    /// Rounds of all devices, until nothing is left to do.
    package func settle() async throws {
        for _ in 0..<4 { for index in members.indices { try await round(index) } }
    }

    /// The value of a record, as the engine has it.
    package func record(_ slot: Bytes16) async throws -> [UInt8]? {
        let key = CirclePaths(place).record(slot)
        return try await engine.read([key], at: nil).values[key]?.bytes
    }

    /// Puts a value into the engine, as its operator can.
    package func put(_ key: EngineKey, _ bytes: [UInt8]?) async throws {
        let transaction =
            bytes.map { EngineTransaction(puts: [EngineTransaction.Put(key, $0)]) }
            ?? EngineTransaction(deletes: [key])
        _ = try await engine.commit(transaction)
    }
}
