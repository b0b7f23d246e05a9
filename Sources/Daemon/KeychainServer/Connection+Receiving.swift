// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainWire
import Synchronization

/// Receiving greetings and messages, and waiting for a turn.
extension Connection {
    /// The result of receiving.
    enum Arrival {
        /// More bytes are expected, or have to be sent first: what to wait for.
        case wait(SocketReadiness)
        /// A command or a subscription to carry out and answer.
        case command(ReceivedCommand)
        /// The program's answer to a question.
        case message(WireMessage)
        /// The connection ends; with an error for the program, if there is one.
        case end(KeychainError?)
    }

    /// Queues a command until ``beginQueuedCommand(tick:)``.
    func wait(_ command: ReceivedCommand) {
        state.withLock { state in
            guard state.phase == .busy else { return }
            state.phase = .waiting
            state.waiting = command
        }
    }

    /// The queued command, which is executed from now on; `nil` if the connection has ended.
    func beginQueuedCommand(tick: UInt64) -> ReceivedCommand? {
        state.withLock { state in
            guard state.phase == .waiting, let command = state.waiting.take() else { return nil }
            state.phase = .busy
            state.since = tick
            return command
        }
    }

    /// Waits for the next command by busy polling, if that is worthwhile.
    ///
    /// - Returns: Whether it has arrived.
    func pollForCommand(while mayPoll: () -> Bool) -> Bool {
        // A subscriber sends none, and its socket is watched whenever it is notified.
        guard !isSubscribed.load(ordering: .relaxed), mayPoll(), state.withLock({ $0.polling.begin() }) else {
            return false
        }
        let isReadable = BusyPoll.wait(for: socket, while: mayPoll)
        state.withLock { $0.polling.end(wasInVain: !isReadable) }
        return isReadable
    }

    /// The result of receiving and decoding.
    enum Received {
        /// A part of a message, or a whole greeting, which is in the reader.
        case bytes(FrameReader.Progress)
        /// A whole message, and the memory that it takes.
        case message(WireMessage, byteCount: Int)
        case refused(KeychainError)
    }

    /// Sends pending output, and receives available bytes; may sleep (``SleepingCalls``).
    func receive(tick: UInt64) -> Arrival {
        var reader = FrameReader()
        var expected = FrameReader.Expected.message
        let arrival = state.withLock { state -> Arrival? in
            if let arrival = beginReceiving(&state, tick) { return arrival }
            if state.phase == .greeting { expected = .greeting }
            swap(&state.reader, &reader)
            state.isReceiving = true
            return nil
        }
        if let arrival { return arrival }
        let received = receive(expected, &reader)
        return state.withLock { state in
            swap(&state.reader, &reader)
            state.isReceiving = false
            state.readerCapacity = state.reader.capacity
            return endReceiving(&state, received: received, at: tick)
        }
    }

    /// Receives and decodes a complete message, without the lock of the state, because both may take long.
    private func receive(_ expected: FrameReader.Expected, _ reader: inout FrameReader) -> Received {
        do throws(WireError) {
            let progress = try reader.receive(expected, from: socket, sentBy: sender)
            guard expected == .message else { return .bytes(progress) }
            let (isCounted, isFirst) = state.withLock { state in
                state.readerCapacity = reader.capacity
                return (count(&state), state.lastTaken == 0)
            }
            guard isCounted else { return .refused(.tooMuchBuffered) }
            guard progress == .complete else { return .bytes(progress) }
            // Unlike the others, the first message may be bytes that a program copies to a socket that it inherited.
            guard !isFirst || reader.hasDescriptor else { return .refused(.copiedBytes) }
            let (message, byteCount) = try reader.withBytes { (bytes) throws(WireError) in
                try WireMessage.ofProgram(bytes)
            }
            reader.clear()
            return .message(message, byteCount: byteCount)
        } catch {
            return .refused(KeychainError(error))
        }
    }

    /// Prepares to receive.
    ///
    /// - Returns: The action to take instead; `nil` for none.
    private func beginReceiving(_ state: inout State, _ tick: UInt64) -> Arrival? {
        guard Self.flush(&state, to: socket, at: tick) else { return .end(nil) }
        // A subscriber's socket is watched whenever it is notified: the thread that receives continues.
        guard !state.isReceiving else { return .wait([]) }
        _ = count(&state)
        guard state.pending.isEmpty else { return .wait(.writable) }
        switch state.phase {
        case .observing: guard sendNotice(&state, tick) else { return .end(nil) }
        // From now on the time of a message runs.
        case .idle: if state.reader.isEmpty { state.since = tick }
        case .greeting, .asking: break
        // Only the thread that executes its command, or ends it, uses it.
        case .busy, .waiting: return .wait([])
        case .leaving, .ended: return .end(nil)
        }
        return nil
    }

    private func endReceiving(_ state: inout State, received: Received, at tick: UInt64) -> Arrival {
        switch state.phase {
        case .observing: return observed(&state, received)
        case .greeting: return greeting(&state, received: received, at: tick)
        case .idle: return command(&state, received: received, at: tick)
        case .asking: return message(&state, received)
        case .busy, .waiting, .leaving, .ended:
            // It has ended meanwhile.
            state.clearReader()
            return .end(nil)
        }
    }

    private func greeting(_ state: inout State, received: Received, at tick: UInt64) -> Arrival {
        do throws(WireError) {
            guard let end = arrival(received) else {
                let answer = ServerGreeting(
                    to: try state.reader.withBytes { (bytes) throws(WireError) in try ClientGreeting(bytes) },
                    versions,
                    folder: folder
                )
                state.clearReader()
                // The first message has to come with one.
                keychain_permit_descriptors(socket, true)
                state.pending.append(SecretBytes(answer.bytes))
                guard let version = answer.version else {
                    _ = Self.flush(&state, to: socket, at: tick)
                    return .end(nil)
                }
                state.version = version
                state.phase = .idle
                guard Self.flush(&state, to: socket, at: tick) else { return .end(nil) }
                return .wait(Self.wanted(state))
            }
            return end
        } catch {
            return .end(KeychainError(error))
        }
    }

    private func begin(_ state: inout State, _ tick: UInt64) {
        state.phase = .busy
        state.since = tick
        state.workingSince = tick
    }

    private func command(_ state: inout State, received: Received, at tick: UInt64) -> Arrival {
        let isFirst = state.lastTaken == 0
        let arrival = message(&state, received)
        if isFirst, case .message = arrival { keychain_permit_descriptors(socket, false) }
        switch arrival {
        case .message(.command(let number, let command, let canAskForSecrets))
        where number > state.lastTaken && command.protocolVersion <= state.version:
            guard let memory = memory(of: received) else { return .end(.tooMuchBuffered) }
            state.lastTaken = number
            begin(&state, tick)
            let content = ReceivedCommand.Content.command(command, canAskForSecrets: canAskForSecrets)
            return .command(ReceivedCommand(number: number, content: content, memory: memory))
        case .message(.observe(let number, let client)) where number > state.lastTaken:
            guard let memory = memory(of: received) else { return .end(.tooMuchBuffered) }
            state.subscription = memory
            state.lastTaken = number
            begin(&state, tick)
            return .command(ReceivedCommand(number: number, content: .observation(client), memory: memory))
        case .message: return .end(KeychainError(WireError.unknownCase))
        case let other: return other
        }
    }

    /// The message that was received, or the part of it that was available.
    func message(_ state: inout State, _ received: Received) -> Arrival {
        guard count(&state) else { return .end(.tooMuchBuffered) }
        if case .message(let message, _) = received { return .message(message) }
        return arrival(received) ?? .end(nil)
    }

    /// Counts the memory of a command, or that of a subscription until its end.
    ///
    /// - Returns: The object that counts it; `nil` if a limit is reached.
    private func memory(of received: Received) -> HeldBytes? {
        guard case .message(_, let byteCount) = received else { return nil }
        return HeldBytes(byteCount, of: process.buffered)
    }

    /// The result of an incomplete read; `nil` for a complete one.
    private func arrival(_ received: Received) -> Arrival? {
        switch received {
        case .bytes(.complete), .message: nil
        case .bytes(.incomplete): .wait(.readable)
        case .bytes(.failed(EPERM)): .end(.otherSender)
        case .bytes(.ended), .bytes(.failed): .end(nil)
        case .refused(let error): .end(error)
        }
    }
}

/// A request of a program, with its number.
struct ReceivedCommand {
    enum Content {
        /// A command, and whether a user could type at the program.
        case command(KeychainCommand, canAskForSecrets: Bool)
        /// The program sends no more commands, and subscribes to changes.
        case observation(Client)
    }

    let number: UInt64
    let content: Content
    /// Counts its memory until it was executed, whether or not its connection has ended.
    let memory: HeldBytes

    /// Whether it is not queued.
    var isUrgent: Bool {
        switch content {
        case .command(let command, _): command.has(.isUrgent)
        case .observation: false
        }
    }

    /// Whether it may be carried out although the program has gone.
    var changesNothing: Bool {
        switch content {
        case .command(let command, _): command.has(.changesNothing)
        // The process is checked again, which may take long.
        case .observation: false
        }
    }
}

extension KeychainError {
    fileprivate static let otherSender = KeychainError(
        .missingEntitlement,
        "another process than the one that connected wrote to the connection; each process has to connect itself"
    )

    fileprivate static let copiedBytes = KeychainError(
        .missingEntitlement,
        "the first message of a connection came without a descriptor, so it may not be the program's own: a program that "
            + "copies its input to a socket that it inherited could have sent it"
    )
}
