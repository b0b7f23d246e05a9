// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainWire
import Synchronization

/// Serves processes that an ``Admission`` admits, on listening sockets.
///
/// It knows neither stores nor identities. Several threads wait for messages and execute them themselves; an idle
/// connection needs no thread.
package final class KeychainServer: Sendable {
    let options: ServerOptions
    let admission: any Admission
    let sockets: [Int32]
    let watch: Int32
    private let wake: WakeUp
    let connections: ConnectionTable
    let processes: ProcessTable
    let releases = ReleaseQueue()
    let admissions: AdmissionTable
    let calls: CallTable
    let workers: Workers
    let sleeping: SleepingCalls
    let housekeeping: Housekeeping
    let changes: ChangePublishers
    let numbers: Atomic<UInt64>
    private let stopping = Atomic<Bool>(false)
    let isAcceptPaused = Atomic<Bool>(false)

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - sockets: listening sockets. The caller owns them, and keeps them open until ``run()`` has returned.
    ///   - options: limits and timeouts.
    ///   - admission: decides who may connect.
    /// - Throws: `errSecNotAvailable` if the system has no descriptors left.
    package init(
        sockets: [Int32],
        options: ServerOptions = ServerOptions(),
        admission: any Admission
    ) throws(KeychainError) {
        self.sockets = sockets
        self.options = options
        self.admission = admission
        connections = ConnectionTable(options)
        processes = ProcessTable(options)
        admissions = AdmissionTable(options)
        calls = CallTable(options)
        workers = Workers(atMost: options.maximumWorkers)
        sleeping = SleepingCalls(options)
        housekeeping = Housekeeping(options)
        changes = ChangePublishers(options)
        // Lower numbers are those of the listening sockets, and 0 is that of the stop event.
        numbers = Atomic(UInt64(sockets.count) + 1)
        guard let wake = WakeUp() else { throw KeychainError(call: "eventfd", errno: errno) }
        self.wake = wake
        watch = keychain_watch_make()
        guard watch >= 0, keychain_watch_always(watch, wake.descriptor, 0) == 0 else {
            throw KeychainError(call: "epoll_create1", errno: errno)
        }
        for (index, socket) in sockets.enumerated() {
            _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
            let unnamed = keychain_name_senders(socket)
            guard unnamed == 0 else { throw KeychainError(call: "setsockopt", errno: unnamed) }
            keychain_permit_descriptors(socket, false)
            let failure = keychain_watch_add(watch, socket, UInt64(index) + 1, SocketReadiness.readable.rawValue)
            guard failure == 0 else { throw KeychainError(call: "epoll_ctl", errno: failure) }
        }
    }

    deinit {
        Glibc.close(watch)
    }

    /// The number of connections.
    package var connectionCount: Int { connections.count }

    /// Serves until ``stop()``.
    ///
    /// - Parameters:
    ///   - milliseconds: the approximate interval between calls of `beat`; `nil` for never.
    ///   - beat: called each time after all timeouts were enforced; never again if that does not end.
    package func run(beatingEvery milliseconds: Int32? = nil, _ beat: () -> Void = {}) {
        workers.start { [self] in work() }
        var next = options.deadline(milliseconds: 0)
        while !isStopping {
            housekeeping.wait(
                atMost: milliseconds,
                isOver: { isStopping },
                isQuiet: {
                    !isStopping && !checkConnections() && !isAcceptPaused.load(ordering: .sequentiallyConsistent)
                }
            )
            resumeAccepting()
            guard let milliseconds, next.isOver, !isStopping else { continue }
            beat()
            next = options.deadline(milliseconds: milliseconds)
        }
        finish()
    }

    /// Makes ``run()`` return once commands in progress were answered; callable from any thread, or from a handler of a
    /// signal's event.
    ///
    /// No further command is accepted. Programs are notified, and send unaccepted commands to the next daemon.
    package func stop() {
        guard !stopping.exchange(true, ordering: .sequentiallyConsistent) else { return }
        housekeeping.interrupt()
    }

    var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

    var tick: UInt64 { housekeeping.tick }

    // MARK: Work

    @Sendable
    func work() {
        while true {
            var number: UInt64 = 0
            switch keychain_watch_next(watch, &number, Self.idleMilliseconds) {
            case 0:
                if workers.leaveIfIdle() { return }
                continue
            case 1: break
            default: return workers.leave()
            }
            if number == 0 { return workers.leave() }
            housekeeping.recordActivity()
            if number <= UInt64(sockets.count) {
                accept(number)
            } else if let connection = connections[number] {
                serve(connection)
            }
        }
    }

    /// After how long without work a thread checks whether it is still needed.
    private static let idleMilliseconds: Int32 = 10_000

    private func serve(_ connection: Connection) {
        while true {
            guard let arrival = receive(on: connection) else { return }
            switch arrival {
            case .wait(let wanted): return watchAgain(connection, wanted)
            case .command(let command):
                housekeeping.recordActivity()
                guard hasRoom(for: command, on: connection) else { return }
                workers.begin { [self] in work() }
                let wanted = answer(command, on: connection)
                workers.end()
                // A program that sends one command after the other need not wake a thread for each.
                if wanted == .readable, connection.pollForCommand(while: { mayPoll }) { continue }
                // Last, because the next command may arrive immediately, on another thread.
                return watchAgain(connection, wanted)
            case .message: return end(connection, KeychainError(WireError.unknownCase))
            case .end(let error): return end(connection, error)
            }
        }
    }

    /// Receives on a connection; while it sleeps, another thread takes the place of this one.
    ///
    /// - Returns: The result; `nil` if too many other calls of the program are sleeping, so that it is received later.
    private func receive(on connection: Connection) -> Connection.Arrival? {
        guard sleeping.beginReceiving(connection) else { return nil }
        housekeeping.recordActivity()
        workers.begin { [self] in work() }
        defer {
            workers.end()
            for other in sleeping.endReceiving(connection.process.share) { watchAgain(other, .readable) }
        }
        return connection.receive(tick: tick)
    }

    private var mayPoll: Bool { BusyPoll.hasRoom(besides: workers.busyCount) && !isStopping }

    /// Answers a command, or queues it, and then executes queued ones for which there is now room.
    ///
    /// - Returns: What the connection waits for next; nothing if it is watched already, is queued, or has ended.
    private func answer(_ command: ReceivedCommand, on connection: Connection) -> SocketReadiness {
        if admission.isOver { return decline(command, on: connection) }
        let share = connection.process.share
        if command.isUrgent, calls.beginUrgent(share) {
            defer { calls.endUrgent(share) }
            return carryOut(command, on: connection)
        }
        connection.wait(command)
        guard calls.begin(connection) else { return [] }
        let wanted = carryOutWaiting(connection)
        guard let next = calls.end(share) else { return wanted }
        // It need not wait for the others.
        watchAgain(connection, wanted)
        carryOutQueued(next)
        return []
    }

    /// Executes a queued command whose turn has come, and those whose turn comes then.
    private func carryOutQueued(_ first: Connection) {
        var next: Connection? = first
        while let connection = next {
            let wanted = carryOutWaiting(connection)
            next = calls.end(connection.process.share)
            watchAgain(connection, wanted)
        }
    }

    /// Executes a command of a front's program in its turn, for which the calling thread waits.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - call: whose it is.
    ///   - ending: ends the waiting, because the program is gone.
    ///   - check: called once it is its turn.
    /// - Returns: Its reply.
    /// - Throws: ``KeychainError``; what `check` throws.
    func executeInTurn(
        _ command: KeychainCommand,
        in call: Call,
        unless ending: PromptCancellation,
        after check: () throws(KeychainError) -> Void
    ) throws(KeychainError) -> KeychainReply {
        let share = call.process.share
        if command.has(.isUrgent), calls.beginUrgent(share) {
            defer { calls.endUrgent(share) }
            try check()
            return try execute(command, in: call)
        }
        let deadline = options.deadline(milliseconds: options.commandMilliseconds)
        try calls.begin(share, unless: ending, until: deadline)
        defer {
            // Those of others do not wait for the front.
            if let next = calls.end(share),
                !workers.startBusy({ [self] in carryOutQueued(next) }, then: { [self] in work() })
            {
                carryOutQueued(next)
            }
        }
        try check()
        return try execute(command, in: call)
    }

    /// Has the program send a command to the next daemon.
    private func decline(_ command: ReceivedCommand, on connection: Connection) -> SocketReadiness {
        // It is not accepted, like one that is still queued when the server stops.
        connection.wait(command)
        guard connection.sendGoodbye(tick: tick) else { return .writable }
        end(connection)
        return []
    }

    private func carryOutWaiting(_ connection: Connection) -> SocketReadiness {
        guard let command = connection.beginQueuedCommand(tick: tick) else { return [] }
        return carryOut(command, on: connection)
    }

    /// Performs a command, and sends the reply.
    ///
    /// - Returns: What the connection waits for next; nothing if it has ended.
    private func carryOut(_ command: ReceivedCommand, on connection: Connection) -> SocketReadiness {
        // The program cannot receive the result, and may have sent the command again on another connection.
        if !command.changesNothing, connection.hasHungUp {
            end(connection)
            return []
        }
        let wanted: SocketReadiness?
        switch command.content {
        case .observation(let client):
            wanted = observe(connection, number: command.number, for: client)
        case .command(let content, let canAskForSecrets):
            let authenticator = ConnectionAuthenticator(connection, canAskForSecrets: canAskForSecrets, self)
            let frame = carryOut(content, number: command.number, of: connection, prompting: authenticator)
            command.memory.end()
            wanted = connection.answer(frame, tick: tick, isLast: isStopping)
        }
        if wanted == nil { end(connection) }
        return wanted ?? []
    }

    /// The answer to a command, whose memory is not counted any more once it is a message.
    private func carryOut(
        _ command: KeychainCommand,
        number: UInt64,
        of connection: Connection,
        prompting authenticator: ConnectionAuthenticator
    ) -> SecretBytes {
        let call = Call(
            of: connection.peer,
            connection.process,
            prompting: authenticator,
            until: connection.ending,
            countedBy: calls
        )
        let message: WireMessage
        do throws(KeychainError) {
            message = .reply(number, try execute(command, in: call).withShortenedError)
        } catch {
            message = .failure(number, error.shortened)
        }
        do throws(WireError) {
            return try message.encoded()
        } catch {
            return (try? WireMessage.failure(number, KeychainError(error)).encoded()) ?? SecretBytes()
        }
    }

    /// Watches a connection again.
    func watchAgain(_ connection: Connection, _ wanted: SocketReadiness) {
        guard !wanted.isEmpty else { return }
        var wanted = wanted
        while true {
            let failure = keychain_watch_again(watch, connection.socket, connection.number, wanted.rawValue)
            guard failure == 0 else { return end(connection) }
            // Another thread may have sent a notice meanwhile, and then its registration was overwritten.
            guard let now = connection.wantedWhileObserving, now != wanted else { return }
            wanted = now
        }
    }

    func end(_ connection: Connection, _ error: KeychainError? = nil) {
        connection.end(error, tick: tick)
        changes.remove(connection.subscriber)
        guard connections.remove(connection) else { return }
        calls.remove(connection)
        sleeping.remove(connection)
        leave(connection.process)
        if isStopping { housekeeping.interrupt() }
    }

    /// Removes a connection of a process.
    func leave(_ process: ConnectedProcess) { releases.add(processes.leave(process), of: process) }
}

// MARK: - Housekeeping

extension KeychainServer {
    /// Checks every connection.
    ///
    /// - Returns: Whether anything is in progress.
    private func checkConnections() -> Bool {
        admissions.refuseOverdue(tick: tick) { refuse($0, .overdueAdmission) }
        for candidate in admissions.removeOverdue(tick: tick) { drop(candidate, .admissionBehindOthers) }
        admitQueued()
        for connection in sleeping.dequeueReady() { watchAgain(connection, .readable) }
        sleeping.closeNext()
        var isAnything = !admissions.isEmpty || !sleeping.isEmpty
        for connection in connections.all {
            switch connection.checkTimeouts(tick: tick, options) {
            case .none: continue
            case .watch: break
            case .notifyWorking(let number):
                if !connection.send(.working(number), tick: tick) { end(connection) }
            case .end(let error): end(connection, error)
            }
            isAnything = true
        }
        return isAnything
    }

    /// Waits for commands in progress, and says goodbye on all other connections.
    private func finish() {
        changes.stop()
        calls.stopFronts()
        for socket in sockets { keychain_watch_remove(watch, socket) }
        connections.close()
        for candidate in admissions.removeAll() { drop(candidate, .stopping) }
        let deadline = options.deadline(milliseconds: options.stopMilliseconds)
        while connections.count > 0 {
            for connection in connections.all where connection.sendGoodbye(tick: tick) { end(connection) }
            guard connections.count > 0, deadline.millisecondsLeft > 0 else { break }
            _ = checkConnections()
            housekeeping.wait(isOver: { false }, isQuiet: { false })
        }
        for connection in connections.all { end(connection) }
        wake.signal()
        workers.finish(deadline.extended(milliseconds: 1000))
        releases.finish(deadline.extended(milliseconds: 1000))
    }
}

extension KeychainReply {
    /// The same; of a call that was explained and failed, with the error as it would be sent alone.
    fileprivate var withShortenedError: KeychainReply {
        guard case .explained(var outcome) = self, case .failure(let error) = outcome.result else { return self }
        outcome.result = .failure(error.shortened)
        return .explained(outcome)
    }
}
