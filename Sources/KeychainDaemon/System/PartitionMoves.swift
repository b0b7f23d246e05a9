// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainServer

/// The moves of one user's keychain into the system service, and out of it: one at a time, each by one process.
///
/// Not thread-safe: the partition lets one step in at a time.
struct PartitionMoves: ~Copyable {
    private let location: KeychainLocation
    private let device: DeviceOptions
    private var current: Move?

    /// What is under way.
    private struct Move {
        var process: ProcessInstance
        var lastStep = ContinuousClock.now
        var incoming: IncomingKeychain?

        /// Whether its process can go on with it, and does.
        var isAlive: Bool {
            ProcessStartTime.of(process.identifier) == process.startTime
                && lastStep.advanced(by: .seconds(MoveLimits.idleSeconds)) > .now
        }
    }

    /// The moves of the keychain of a folder; what a service left there that was killed is removed.
    init(of location: KeychainLocation, _ device: DeviceOptions = DeviceOptions()) {
        self.location = location
        self.device = device
        try? EmbeddedKeychain.discardRemains(at: location)
    }

    /// Removes what was received of a move that nobody goes on with.
    mutating func removeAbandoned() {
        guard let current, !current.isAlive else { return }
        end()
    }

    /// Carries out a step.
    ///
    /// - Parameters:
    ///   - step: the step; who may send it was checked.
    ///   - process: who sends it.
    /// - Returns: The reply.
    /// - Throws: ``KeychainError``; the service serves what it served before then.
    mutating func perform(_ step: StoreMove, by process: ProcessInstance) throws(KeychainError) -> KeychainReply {
        switch step {
        case .status:
            return .moveStatus(try store()?.moveStatus() ?? MoveStatus())
        case .receive(let device): try receive(device, process)
        case .append(let rows): try receiving(process).append(rows)
        case .activate: try activate(process)
        case .send: return .movedDevice(try send(process))
        case .rows(let place):
            try checkIsCurrent(process)
            return .movedRows(try owned(by: .moving).movedRows(after: place))
        case .resume: try resume(process)
        case .remove(let receipt): try remove(receipt, process)
        }
        return .done
    }

    private mutating func receive(_ moved: MovedDevice, _ process: ProcessInstance) throws(KeychainError) {
        try begin(process)
        if let present = try store() {
            let status = try present.moveStatus()
            guard status.owner != StoreOwner.moving.name else {
                throw KeychainError(ProtectionError.foreignOwner(.moving))
            }
            guard !status.hasRows else { throw Self.hasItems }
            guard !status.hasPasscode else { throw Self.hasPasscode }
            if status.owner == StoreOwner.system.name { try present.handOver(to: .embedded, onlyIfEmpty: true) }
        }
        let incoming = try IncomingKeychain(in: location, moved, device)
        current = Move(process: process, incoming: incoming)
    }

    private mutating func activate(_ process: ProcessInstance) throws(KeychainError) {
        let incoming = try receiving(process)
        try incoming.finish()
        // Without a store, this makes one.
        try owned(by: .embedded).takeIn(incoming, owner: .system)
        end()
    }

    private mutating func send(_ process: ProcessInstance) throws(KeychainError) -> MovedDevice {
        try begin(process)
        try owned(by: .system).handOver(to: .moving)
        current = Move(process: process)
        return try owned(by: .moving).movedDevice()
    }

    private mutating func resume(_ process: ProcessInstance) throws(KeychainError) {
        try begin(process)
        do throws(KeychainError) {
            try owned(by: .moving).handOver(to: .system)
        } catch {
            guard error.foreignOwner == .system else { throw error }
        }
    }

    private mutating func remove(_ receipt: SecretBytes, _ process: ProcessInstance) throws(KeychainError) {
        try begin(process)
        let keychain = owned(by: .moving)
        guard try keychain.moveReceipt() == receipt else {
            throw KeychainError(.missingEntitlement, "only who was given the keychain can have it removed")
        }
        try keychain.empty(owner: .embedded)
    }

    /// Ends what the same process, or one that is gone, has begun.
    private mutating func begin(_ process: ProcessInstance) throws(KeychainError) {
        guard let current else { return }
        guard current.process == process || !current.isAlive else {
            throw KeychainError(
                .notAvailable,
                "process \(current.process.identifier) is moving the keychain; wait for it, or end it",
                kind: .unavailable
            )
        }
        end()
    }

    private mutating func end() {
        current = nil
        IncomingKeychain.remove(from: location)
    }

    private mutating func checkIsCurrent(_ process: ProcessInstance) throws(KeychainError) {
        guard current?.process == process else { throw .parameter("this process has begun no move of the keychain") }
        current?.lastStep = .now
    }

    private mutating func receiving(_ process: ProcessInstance) throws(KeychainError) -> IncomingKeychain {
        try checkIsCurrent(process)
        guard let incoming = current?.incoming else {
            throw .parameter("this process has begun no move into the system service")
        }
        return incoming
    }

    private func store() throws(KeychainError) -> EmbeddedKeychain? {
        try EmbeddedKeychain.ofAnyOwner(at: location, device)
    }

    private func owned(by owner: StoreOwner) -> EmbeddedKeychain {
        var device = device
        device.owner = owner
        return EmbeddedKeychain(at: location, device: device)
    }

    private static let hasItems = KeychainError(
        .notAvailable,
        "the system service has items of this user already, and nothing is overwritten; take them back, or delete those of "
            + "one side first",
        kind: .unavailable
    )

    private static let hasPasscode = KeychainError(
        .notAvailable,
        "the empty keychain in the system service has a passcode of its own, and nothing is overwritten; root can remove "
            + "it, in the folder of the service that is named by the user ID",
        kind: .unavailable
    )
}
