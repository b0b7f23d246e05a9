// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import KeychainWire

/// The connections of a bus and their names: everything is done by one thread, which waits for nothing but the next
/// event.
final class BusLoop {
    let options: BusOptions
    let memory: BusMemory
    let closer = DescriptorCloser()
    /// The names that only the service may have.
    let reservedNames: Set<String>
    /// The bus's own identifier.
    let identifier = RandomName.make()

    /// The methods of the bus itself, by their names.
    let methods = Dictionary(grouping: DriverMethod.all(), by: \.name)

    private(set) var connections: [UInt64: BusConnection] = [:]
    var names = NameTable()
    var calls: PendingCalls
    private var connectionsByName: [String: BusConnection] = [:]
    private var incompleteConnections: [BusConnection] = []
    private var ending: [BusConnection] = []
    /// The connections that are not read because of what others have not read of them, in this order.
    private var paused: [BusConnection] = []
    /// What connections that have ended have left for others.
    var left: [(sent: SentMessages, deadline: Deadline)] = []
    /// The connection that is being read.
    private(set) var served: BusConnection?

    private let mailbox: LoopMailbox
    private let listening: Int32
    private let watch: Int32
    private var lastNumber: UInt64 = BusLoop.lowestNumber
    private var lastSerial: UInt32 = 0
    private var acceptsAgain: Deadline?
    /// Whether there were no descriptors left for the last program that wanted to connect.
    private var isShort = false
    private var descriptorRoom = [Int32](repeating: -1, count: Int(KEYCHAIN_MOST_DESCRIPTORS))
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 8)

    /// In each unique name, so that one is not that of another program on the bus before: a random number.
    private let prefix = UInt32.random(in: 1 << 30..<1 << 31)

    private static let wakeNumber: UInt64 = 0
    private static let listeningNumber: UInt64 = 1
    private static let lowestNumber: UInt64 = 1
    private static let acceptPauseMilliseconds: Int32 = 100

    init(
        listeningOn listening: Int32,
        _ mailbox: LoopMailbox,
        options: BusOptions,
        reservedNames: Set<String>
    ) throws(KeychainError) {
        self.options = options
        self.mailbox = mailbox
        self.listening = listening
        self.reservedNames = reservedNames
        memory = BusMemory(atMost: options.maximumHeldBytes)
        calls = PendingCalls(atMost: options.maximumPendingCalls)
        watch = keychain_watch_make()
        guard watch >= 0 else { throw KeychainError(call: "epoll_create1", errno: errno) }
        guard keychain_watch_always(watch, mailbox.wake, Self.wakeNumber) == 0 else {
            throw KeychainError(call: "epoll_ctl", errno: errno)
        }
        memory.makeRoom = { [unowned self] bytes in makeRoom(for: bytes) }
        _ = fcntl(listening, F_SETFL, fcntl(listening, F_GETFL) | O_NONBLOCK)
        var failure = keychain_name_senders(listening)
        guard failure == 0 else { throw KeychainError(call: "setsockopt", errno: failure) }
        failure = keychain_watch_add(watch, listening, Self.listeningNumber, SocketReadiness.readable.rawValue)
        guard failure == 0 else { throw KeychainError(call: "epoll_ctl", errno: failure) }
    }

    deinit {
        close(watch)
        room.deallocate()
    }

    /// Serves until the mailbox says to stop.
    func run() {
        // They are closed later.
        defer { for connection in connections.values { shutdown(connection.socket, Int32(SHUT_RDWR)) } }
        while true {
            var number: UInt64 = 0
            let count = keychain_watch_next(watch, &number, waitMilliseconds)
            guard count >= 0 else { break }
            if count > 0 {
                switch number {
                case Self.wakeNumber:
                    let mail = mailbox.take()
                    for socket in mail.sockets { add(socket, isService: true) }
                    if mail.isStopping { return }
                case Self.listeningNumber: accept()
                default: if let connection = connections[number] { serve(connection) }
                }
            }
            if acceptsAgain?.isOver ?? false { acceptAgain() }
            if !memory.hasRoom(for: 0) { _ = makeRoom(for: 0) }
            endNeglectful()
            endPauses()
            for connection in incompleteConnections.prefix(while: { $0.deadline.isOver }) { endLater(connection) }
            endConnections()
        }
    }

    /// Until something has to be done without an event: the first of the incomplete connections has waited longest.
    private var waitMilliseconds: Int32 {
        [incompleteConnections.first?.deadline, acceptsAgain, paused.first?.pause, left.first?.deadline, nextNeglect]
            .compactMap { $0?.waitMilliseconds }.min() ?? -1
    }
}

// MARK: - Connections

extension BusLoop {
    private func accept() {
        let socket = keychain_accept(listening)
        if socket < 0, [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) {
            if !isShort { options.descriptorsAreUsedUp() }
            isShort = true
            // It is still readable.
            acceptsAgain = options.deadline(milliseconds: Self.acceptPauseMilliseconds)
            return
        }
        isShort = false
        if socket >= 0 { add(socket, isService: false) }
        acceptAgain()
    }

    private func acceptAgain() {
        acceptsAgain = nil
        _ = keychain_watch_again(watch, listening, Self.listeningNumber, SocketReadiness.readable.rawValue)
    }

    private func add(_ socket: Int32, isService: Bool) {
        guard let peer = BusPeer(of: socket), connections.count < options.maximumConnections || isService else {
            return closer.close(socket: socket)
        }
        lastNumber += 1
        let handshake = BusHandshake(peer: peer.user, user: geteuid(), identifier: identifier)
        let connection = BusConnection(
            socket,
            of: peer,
            number: lastNumber,
            isService: isService,
            handshake: handshake,
            on: self
        )
        guard keychain_watch_add(watch, socket, lastNumber, SocketReadiness.readable.rawValue) == 0 else { return }
        connections[lastNumber] = connection
        if !isService {
            if incompleteConnections.count >= options.maximumIncompleteConnections {
                endLater(incompleteConnections[0])
            }
            incompleteConnections.append(connection)
        }
    }

    /// The connection of a name of any kind.
    func connection(named name: String) -> BusConnection? {
        connectionsByName[name] ?? names.owner(of: name).flatMap { connections[$0] }
    }

    /// The unique name for the number of a connection.
    func uniqueName(_ number: UInt64) -> String { ":\(prefix).\(number)" }

    /// Gives a connection its unique name.
    func greet(_ connection: BusConnection) -> String {
        let name = uniqueName(connection.number)
        connection.name = name
        connectionsByName[name] = connection
        incompleteConnections.removeAll { $0 === connection }
        return name
    }

    /// The unique names, in the order in which the connections came.
    var uniqueNames: [String] { connections.values.sorted { $0.number < $1.number }.compactMap(\.name) }

    /// Ends a connection when the event was dealt with.
    func endLater(_ connection: BusConnection) { ending.append(connection) }

    private func endConnections() {
        // What is said of an end may end others.
        while let connection = ending.popLast() {
            guard connections.removeValue(forKey: connection.number) != nil else { continue }
            keychain_watch_remove(watch, connection.socket)
            shutdown(connection.socket, Int32(SHUT_RDWR))
            incompleteConnections.removeAll { $0 === connection }
            paused.removeAll { $0 === connection }
            if !connection.sent.isEmpty, !connection.isService {
                left.append((connection.sent, options.deadline(milliseconds: options.pauseMilliseconds)))
                if left.count > options.maximumConnections { takeBack(left.removeFirst().sent) }
            }
            guard let name = connection.name else { continue }
            connectionsByName[name] = nil
            for call in calls.remove(connection.number) { reportNoReply(to: call) }
            for change in names.releaseAll(of: connection.number) { announce(change) }
            announce(name, from: name, to: "")
        }
    }

    private func reportNoReply(to call: PendingCalls.Call) {
        guard let caller = connections[call.caller] else { return }
        refuse(call.serial, of: caller, DriverError(.noReply, "the program that was called has left the bus"))
    }
}

// MARK: - Receiving

extension BusLoop {
    private func serve(_ connection: BusConnection) {
        served = connection
        defer { served = nil }
        let (wasPaused, sendCount) = (connection.pause != nil, connection.sendCount)
        guard !connection.isBlocked || connection.flush(), wasPaused || receive(from: connection) else {
            return endLater(connection)
        }
        // The event may be that its program has sent its last, which is read after the pause.
        guard !wasPaused || !connection.isBlocked || connection.sendCount != sendCount else { return }
        watchAgain(connection)
    }

    private func watchAgain(_ connection: BusConnection) {
        if connection.sent.areTooMany, connection.pause == nil, !connection.isService {
            connection.pause = options.deadline(milliseconds: options.pauseMilliseconds)
            paused.append(connection)
        }
        // One that ends reads nothing more.
        var wanted: SocketReadiness = connection.isEnding || connection.pause != nil ? [] : .readable
        if connection.isBlocked { wanted.insert(.writable) }
        // Otherwise its end would be an event again and again.
        guard !wanted.isEmpty || connection.pause == nil else { return }
        let failure = keychain_watch_again(watch, connection.socket, connection.number, wanted.rawValue)
        if failure != 0 { endLater(connection) }
    }

    /// Reads connections again whose messages were read, or have waited long enough.
    private func endPauses() {
        left.removeAll { $0.sent.isEmpty }
        while let (sent, deadline) = left.first, deadline.isOver {
            left.removeFirst()
            takeBack(sent)
        }
        for connection in paused where connection.pause?.isOver ?? false { takeBack(connection.sent) }
        let ended = paused.filter { !$0.sent.areTooMany }
        guard !ended.isEmpty else { return }
        paused.removeAll { !$0.sent.areTooMany }
        for connection in ended {
            connection.pause = nil
            watchAgain(connection)
        }
    }

    /// Reads once, so that others have their turn.
    ///
    /// - Returns: Whether the connection goes on.
    private func receive(from connection: BusConnection) -> Bool {
        guard !connection.isEnding else { return true }
        var count = 0
        let received = descriptorRoom.withUnsafeMutableBufferPointer { descriptors in
            keychain_receive_parts(
                connection.socket,
                connection.peer.process,
                room.baseAddress,
                room.count,
                descriptors.baseAddress,
                &count
            )
        }
        let failure = errno
        connection.descriptors += descriptorRoom.prefix(count)
        closer.note(passed: count)
        guard received > 0 else { return received < 0 && failure == EAGAIN }
        defer { keychain_wipe(room.baseAddress, received) }
        guard count == 0 || makeDescriptorRoom(for: connection) else { return false }
        guard take(UnsafeRawBufferPointer(rebasing: room[..<received]), from: connection) else { return false }
        return connection.descriptors.isEmpty || connection.handshake.passesDescriptors
    }

    private func take(_ bytes: UnsafeRawBufferPointer, from connection: BusConnection) -> Bool {
        var rest = bytes
        if connection.handshake.progress == .incomplete {
            let (taken, answer) = connection.handshake.receive(rest)
            if !answer.isEmpty, !connection.send(OutgoingFrame(answer)) { return false }
            guard connection.handshake.progress != .refused else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
        }
        while !rest.isEmpty, !connection.isEnding {
            do throws(BusFailure) {
                let (taken, frame) = try connection.reader.append(rest)
                rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
                if let frame, !dispatch(frame, from: connection) { return false }
            } catch {
                return false
            }
        }
        // Those of the next message, at most.
        return connection.descriptors.count <= options.maximumDescriptors
    }

    /// Deals with a message.
    ///
    /// - Returns: Whether the connection goes on.
    private func dispatch(_ frame: BusFrame, from connection: BusConnection) -> Bool {
        var frame = frame
        let count = Int(frame.header.descriptorCount)
        guard count <= options.maximumDescriptors, count <= connection.descriptors.count else { return false }
        if count > 0 {
            guard connection.handshake.passesDescriptors else { return false }
            frame.descriptors = PassedDescriptors(Array(connection.descriptors.prefix(count)), closedBy: closer)
            connection.descriptors.removeFirst(count)
        }
        guard let name = connection.name else {
            let isHello =
                frame.header.type == .methodCall && frame.header.destination == BusNames.driver
                && frame.header.member == "Hello" && frame.header.interface ?? BusNames.driver == BusNames.driver
            guard isHello else {
                refuse(frame.header, of: connection, DriverError(.accessDenied, "the first message must be Hello"))
                return false
            }
            callDriver(frame, from: connection)
            return true
        }
        frame.header.sender = name
        route(frame, from: connection)
        return true
    }
}

// MARK: - Sending

extension BusLoop {
    /// The number for a message of the bus's own.
    func nextSerial() -> UInt32 {
        lastSerial = lastSerial == .max ? 1 : lastSerial + 1
        return lastSerial
    }

    /// Sends a message to a connection, or queues it; ends one that does not read.
    func send(_ frame: OutgoingFrame, to connection: BusConnection) {
        let wasBlocked = connection.isBlocked
        guard connection.send(frame) else { return endLater(connection) }
        if connection.isBlocked, !wasBlocked { watchAgain(connection) }
    }
}
