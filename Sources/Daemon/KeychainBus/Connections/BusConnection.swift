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

    private var queue: [OutgoingFrame] = []
    private var first = 0
    /// The size of what waits behind the message that is being sent.
    private var queuedBytes = 0
    private let limit: Int
    private let closer: DescriptorCloser

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
        let options = bus.options
        reader = BusFrameReader(
            atMost: isService ? options.maximumServiceFrameBytes : options.maximumFrameBytes,
            countedBy: bus.memory
        )
        limit = bus.options.maximumQueuedBytes
        closer = bus.closer
    }

    // Descriptors that were not received are closed with the socket.
    deinit { closer.close(descriptors + [socket]) }

    /// How many bytes are held of what it has not sent to the end, and what it has not read.
    var heldBytes: Int { queue[first...].reduce(reader.capacity) { $0 + $1.byteCount } }

    /// Holds nothing more; it has to end.
    func abandon() {
        isEnding = true
        (queue, first, queuedBytes) = ([], 0, 0)
        reader = BusFrameReader(atMost: 0)
    }

    /// Whether messages wait for it.
    var isBlocked: Bool { first < queue.count }

    /// Sends a message, or queues it.
    ///
    /// - Returns: Whether the connection goes on.
    func send(_ frame: OutgoingFrame) -> Bool {
        if isBlocked {
            guard queuedBytes + frame.byteCount <= limit else { return false }
            queuedBytes += frame.byteCount
        }
        let wasBlocked = isBlocked
        queue.append(frame)
        return wasBlocked || flush()
    }

    /// Sends what waits.
    ///
    /// - Returns: Whether the connection goes on.
    func flush() -> Bool {
        while isBlocked {
            guard let isSent = queue[first].send(to: socket) else { return errno == EAGAIN }
            guard isSent else { continue }
            first += 1
            if isBlocked { queuedBytes -= queue[first].byteCount }
            // Those that were sent hold memory.
            if first == queue.count || first > 64 {
                queue.removeFirst(first)
                first = 0
            } else {
                queue[first - 1] = OutgoingFrame([])
            }
        }
        return !isEnding
    }
}
