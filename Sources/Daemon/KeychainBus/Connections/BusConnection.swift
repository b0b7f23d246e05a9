// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

/// A connection of a program to the bus, for the thread of the bus.
final class BusConnection {
    /// Its number on the bus, which is not used again.
    let number: UInt64
    let socket: Int32
    let peer: BusPeer
    /// Whether it is that of the service for which the bus is there.
    let isService: Bool

    /// By when it has to have said Hello.
    let deadline: Deadline
    /// Its unique name; `nil` until it has said Hello.
    var name: String?
    var handshake: BusHandshake
    var reader: BusFrameReader
    var rules: [MatchRule] = []
    /// What was passed with bytes of messages that are not complete.
    var descriptors: [Int32] = []
    /// Whether it ends once all was sent.
    var isEnding = false

    /// What others have not got yet of what it has sent.
    let sent: SentMessages
    /// Until when it is not read, because that is too much.
    var pause: Deadline?

    /// Until when it has to read enough of what waits for it; `nil` if nothing does.
    private(set) var readDeadline: Deadline?

    /// How often something was sent to it.
    private(set) var sendCount = 0

    private var queue: [OutgoingFrame] = []
    private var first = 0
    /// The size of what waits behind the message that is being sent: of the bus's own, of programs, of the service.
    private var queuedBytes = (bus: 0, programs: 0, service: 0)
    /// How many bytes it has read since ``readDeadline`` was set.
    private var readByteCount = 0
    private let limit: Int
    private let closer: DescriptorCloser
    private let options: BusOptions

    init(
        _ socket: Int32,
        of peer: BusPeer,
        number: UInt64,
        isService: Bool,
        handshake: BusHandshake,
        on bus: BusLoop
    ) {
        self.number = number
        self.socket = socket
        self.peer = peer
        self.isService = isService
        self.handshake = handshake
        deadline = bus.options.deadline(milliseconds: bus.options.handshakeMilliseconds)
        options = bus.options
        reader = BusFrameReader(
            atMost: isService ? options.maximumServiceFrameBytes : options.maximumFrameBytes,
            countedBy: bus.memory
        )
        limit = options.maximumQueuedBytes
        sent = SentMessages(of: peer.process, atMost: options)
        closer = bus.closer
    }

    deinit {
        closer.close(passed: descriptors)
        closer.close(socket: socket)
    }

    /// How many bytes are held of what it has not sent to the end, what others have not got of it, and what it has not
    /// read of the service and the bus.
    var heldBytes: Int { reader.capacity + sent.byteCount + unreadByteCount }

    /// How many descriptors are held of what it has sent.
    var heldDescriptorCount: Int { descriptors.count + sent.descriptorCount }

    /// The size of what waits for it of the service and the bus.
    var unreadByteCount: Int {
        let begun = isBlocked && queue[first].message?.sent == nil ? queue[first].byteCount : 0
        return begun + queuedBytes.bus + queuedBytes.service
    }

    /// The size of that, if it has read little of it for a while.
    var neglectedByteCount: Int { readDeadline?.isOver ?? false ? unreadByteCount : 0 }

    /// Holds nothing more; it has to end.
    func abandon() {
        isEnding = true
        (queue, first, queuedBytes) = ([], 0, (0, 0, 0))
        reader = BusFrameReader(atMost: 0)
        closer.close(passed: descriptors)
        descriptors = []
    }

    /// Takes out what waits of a sender, but for a message of which it has got a part.
    func takeBack(_ sent: SentMessages) -> [WaitingMessage] {
        guard isBlocked else { return [] }
        var messages: [WaitingMessage] = []
        var kept: [OutgoingFrame] = []
        for (index, frame) in queue[first...].enumerated() {
            if let message = frame.message, message.sent === sent, !frame.isBegun {
                messages.append(message)
                if index > 0 { queuedBytes.programs -= frame.byteCount }
            } else {
                // The first one does not count.
                if kept.isEmpty, index > 0 { count(frame, -1) }
                kept.append(frame)
            }
        }
        (queue, first) = (kept, 0)
        return messages
    }

    /// The message of which it has got a part.
    var begunMessage: WaitingMessage? { isBlocked && queue[first].isBegun ? queue[first].message : nil }

    /// Whether a signal that is not for it alone may wait for it.
    var takesBroadcasts: Bool { queuedBytes.programs < limit / 2 }

    private func count(_ frame: OutgoingFrame, _ sign: Int) {
        switch frame.message?.origin {
        case .bus: queuedBytes.bus += sign * frame.byteCount
        case .program: queuedBytes.programs += sign * frame.byteCount
        case .service: queuedBytes.service += sign * frame.byteCount
        case nil: break
        }
    }

    /// Whether messages wait for it.
    var isBlocked: Bool { first < queue.count }

    /// Sends a message, or queues it.
    ///
    /// - Returns: Whether the connection goes on.
    func send(_ frame: OutgoingFrame) -> Bool {
        if isBlocked {
            count(frame, 1)
            // The service reads, however much it has caused.
            guard queuedBytes.bus <= limit || isService else { return false }
        }
        let wasBlocked = isBlocked
        queue.append(frame)
        guard !wasBlocked else { return true }
        defer { if isBlocked { waitForReader() } }
        return flush()
    }

    /// Gives it the time anew in which it has to read enough.
    private func waitForReader() {
        readByteCount = 0
        readDeadline = options.deadline(milliseconds: options.pauseMilliseconds)
    }

    /// Sends what waits.
    ///
    /// - Returns: Whether the connection goes on.
    func flush() -> Bool {
        while isBlocked {
            let before = queue[first].sentByteCount
            guard let isSent = queue[first].send(to: socket) else { return errno == EAGAIN }
            sendCount &+= 1
            readByteCount += queue[first].sentByteCount - before
            if readByteCount > options.readBytes { waitForReader() }
            guard isSent else { continue }
            first += 1
            if isBlocked { count(queue[first], -1) }
            // Those that were sent hold memory.
            if first == queue.count || first > 64 {
                queue.removeFirst(first)
                first = 0
            } else {
                queue[first - 1] = OutgoingFrame([])
            }
        }
        readDeadline = nil
        return !isEnding
    }
}
