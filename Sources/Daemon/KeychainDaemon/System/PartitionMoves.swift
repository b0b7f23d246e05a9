// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainIdentity
import KeychainProtection
import KeychainServer

/// The moves of one user's keychain into the system service, and out of it: one at a time, each by one process.
///
/// Each step names its move, so that a step that is executed late, after another move has started, does nothing. Not
/// thread-safe: the partition executes one step at a time.
struct PartitionMoves: ~Copyable {
    private let location: KeychainLocation
    private let options: PartitionOptions
    private var current: Move?

    /// The move in progress.
    private struct Move {
        let identifier: Bytes16
        let process: ProcessInstance
        let start = ContinuousClock.now
        var lastStep = ContinuousClock.now
        var phase = Phase.begun

        /// Whether its process can go on with it, and does.
        var isAlive: Bool {
            process.isAlive && lastStep.advanced(by: .seconds(MoveLimits.idleSeconds)) > .now
                && start.advanced(by: .seconds(MoveLimits.totalSeconds)) > .now
        }
    }

    /// How far a move is.
    private enum Phase {
        /// Nothing was received or given away, or all of it was.
        case begun
        case receiving(Arrival)
        /// The frozen keychain.
        case sending(EmbeddedKeychain)
    }

    /// A keychain that is being received.
    private struct Arrival {
        let incoming: IncomingKeychain
        /// The mark of the keychain that it replaces.
        let mark: StoreMark
        /// Whether the service served that one.
        let wasServed: Bool
        let reservation: MoveSpace.Reservation
    }

    /// The moves of the keychain of a folder.
    init(of location: KeychainLocation, _ options: PartitionOptions) {
        self.location = location
        self.options = options
    }

    /// Whether the move in progress was abandoned.
    var isAbandoned: Bool { current.map { !$0.isAlive } ?? false }

    /// Removes the received rows of an abandoned move.
    mutating func removeAbandoned() {
        if isAbandoned { end() }
    }

    /// Refuses to change the owner while a keychain is being received or given away.
    mutating func checkIsIdle() throws(KeychainError) {
        removeAbandoned()
        guard let current else { return }
        if case .begun = current.phase { return }
        throw Self.isMoved(by: current.process)
    }

    /// Performs a step.
    ///
    /// - Parameters:
    ///   - step: the step; it has been checked that the sender may send it.
    ///   - process: the sender.
    /// - Returns: The reply.
    /// - Throws: ``KeychainError``; the service then serves the same as before.
    mutating func perform(_ step: StoreMove, by process: ProcessInstance) throws(KeychainError) -> KeychainReply {
        // A step that a process sent before it was killed must not be executed after the next process has read the
        // state.
        guard process.isAlive else { throw .parameter("the process that moves the keychain has ended") }
        switch step {
        case .status: return .moveStatus(try status())
        case .begin(let identifier):
            try begin(identifier, process)
            return .moveStatus(try status())
        case .step(let step, let identifier):
            try check(identifier, process)
            return try perform(step)
        }
    }

    private mutating func perform(_ step: StoreMove.Step) throws(KeychainError) -> KeychainReply {
        switch step {
        case .receive(let device): try receive(device)
        case .append(let rows): try arrival().incoming.append(rows)
        case .activate: try activate()
        case .send: return .movedDevice(try send())
        case .rows(let place):
            guard case .sending(let keychain)? = current?.phase else {
                throw .parameter("the keychain is not being given away")
            }
            return .movedRows(try keychain.movedRows(after: place))
        case .resume: try resume()
        case .compare(let copy): try presentStore().compare(copy)
        case .remove(let copy):
            try presentStore().empty(owner: .embedded, ifCopied: copy)
            enter(.begun)
        }
        return .done
    }

    private func status() throws(KeychainError) -> MoveStatus { try store()?.moveStatus() ?? MoveStatus() }

    private mutating func receive(_ moved: MovedDevice) throws(KeychainError) {
        try checkHasBegun()
        let present = try status()
        guard present.owner != .moving else {
            throw KeychainError(ProtectionError.foreignOwner(.moving))
        }
        guard !present.hasItems else { throw Self.hasItems }
        guard !present.hasPasscode else { throw Self.hasPasscode }
        // The announcement is checked before anything is changed.
        let incoming = try IncomingKeychain(in: location, moved, options.device)
        let wasServed = present.owner == .system
        do throws(KeychainError) {
            let reservation = try options.moveSpace.reserve(moved.rows.byteCount, in: location.path)
            if wasServed { try owned(by: .system).handOver(to: .embedded, onlyIfEmpty: true) }
            // Without a store, this creates one.
            let mark = try owned(by: .embedded).storeMark()
            enter(
                .receiving(Arrival(incoming: incoming, mark: mark, wasServed: wasServed, reservation: reservation))
            )
        } catch {
            revertIncomingMove(wasServed: wasServed)
            throw error
        }
    }

    private mutating func activate() throws(KeychainError) {
        let arrival = try arrival()
        try options.moveSpace.checkStore(arrival.incoming.device.rows.byteCount, in: location.path)
        try arrival.incoming.finish()
        do throws(KeychainError) {
            try owned(by: .embedded).install(arrival.incoming, owner: .system, replacing: arrival.mark)
        } catch {
            throw options.explained(error, of: location)
        }
        enter(.begun)
        IncomingKeychain.remove(from: location)
    }

    private mutating func send() throws(KeychainError) -> MovedDevice {
        try checkHasBegun()
        let served = owned(by: .system)
        // A keychain that cannot be moved, or could not be removed afterwards, is not frozen.
        try options.moveSpace.checkRemoval(served.movedRows().byteCount, in: location.path)
        try served.handOver(to: .moving)
        let keychain = owned(by: .moving)
        do throws(KeychainError) {
            let moved = try keychain.movedDevice()
            enter(.sending(keychain))
            return moved
        } catch {
            try? resume()
            throw error
        }
    }

    private mutating func resume() throws(KeychainError) {
        do throws(KeychainError) {
            try owned(by: .moving).handOver(to: .system)
        } catch {
            guard error.foreignOwner == .system else { throw error }
        }
        enter(.begun)
    }

    /// Starts a move, and ends one that the same process, or one that has exited, has started.
    ///
    /// Afterwards no uncertain change can reappear, so the status can be relied on.
    private mutating func begin(_ identifier: Bytes16, _ process: ProcessInstance) throws(KeychainError) {
        if let current, current.process != process, current.isAlive { throw Self.isMoved(by: current.process) }
        end()
        try EmbeddedKeychain.discardRemains(at: location, options.device)
        current = Move(identifier: identifier, process: process)
    }

    private mutating func end() {
        guard let former = current else { return }
        current = nil
        if case .receiving(let arrival) = former.phase { revertIncomingMove(wasServed: arrival.wasServed) }
    }

    /// Removes what was received, and has the service serve the keychain again that it was to replace.
    private func revertIncomingMove(wasServed: Bool) {
        IncomingKeychain.remove(from: location)
        if wasServed { try? owned(by: .embedded).handOver(to: .system) }
    }

    private mutating func check(_ identifier: Bytes16, _ process: ProcessInstance) throws(KeychainError) {
        removeAbandoned()
        guard let current, current.identifier == identifier, current.process == process else {
            throw .parameter("the move of the keychain was ended, or not begun")
        }
        self.current?.lastStep = .now
    }

    private func checkHasBegun() throws(KeychainError) {
        guard case .begun? = current?.phase else { throw .parameter("the move of the keychain is beyond this step") }
    }

    /// Enters a phase, and releases the resources of the previous one.
    ///
    /// Not `current?.phase = phase`: in a noncopyable type, that leaks the former value (Swift 6.3).
    private mutating func enter(_ phase: Phase) {
        guard var move = current else { return }
        move.phase = phase
        current = move
    }

    private func arrival() throws(KeychainError) -> Arrival {
        guard case .receiving(let arrival)? = current?.phase else {
            throw .parameter("no keychain is being moved into the system service")
        }
        return arrival
    }

    private func presentStore() throws(KeychainError) -> EmbeddedKeychain {
        guard let store = try store() else { throw .parameter("the system service has no keychain of this user") }
        return store
    }

    private func store() throws(KeychainError) -> EmbeddedKeychain? {
        try EmbeddedKeychain.ofAnyOwner(at: location, options.device)
    }

    private func owned(by owner: StoreOwner) -> EmbeddedKeychain {
        EmbeddedKeychain(at: location, of: owner, options.device, options.limitOfStore)
    }

    private static func isMoved(by process: ProcessInstance) -> KeychainError {
        KeychainError(
            .notAvailable,
            "process \(process.identifier) is moving the keychain; wait for it, or end it",
            kind: .unavailable
        )
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

extension ProcessInstance {
    /// Whether the process still exists.
    fileprivate var isAlive: Bool { ProcessStartTime.of(identifier) == startTime }
}
