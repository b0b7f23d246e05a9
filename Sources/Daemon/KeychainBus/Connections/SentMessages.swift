// SPDX-License-Identifier: Apache-2.0

/// What a connection has sent that its receivers have not got yet; for the thread of the bus.
///
/// While that is much, the connection is not read: its program waits, and nobody else.
final class SentMessages {
    /// The process that has connected, also when the connection has ended.
    let process: Int32
    private(set) var byteCount = 0
    private(set) var descriptorCount = 0
    private let maximum: (bytes: Int, descriptors: Int)

    init(of process: Int32, atMost options: BusOptions) {
        self.process = process
        maximum = (options.maximumQueuedBytes, options.maximumQueuedDescriptors)
    }

    /// Whether nothing more is read of the connection.
    var areTooMany: Bool { byteCount > maximum.bytes || descriptorCount > maximum.descriptors }

    /// Whether all have got everything.
    var isEmpty: Bool { byteCount == 0 }

    fileprivate func add(_ message: WaitingMessage) {
        byteCount += message.byteCount
        descriptorCount += message.descriptorCount
    }

    fileprivate func remove(_ message: WaitingMessage) {
        byteCount -= message.byteCount
        descriptorCount -= message.descriptorCount
    }
}

/// A message until the last of its receivers has got it: so long it counts as its sender's.
final class WaitingMessage {
    /// Whose it is.
    enum Origin {
        /// That of the bus itself, which an event has caused.
        case bus
        /// That of the service, which programs have asked for: it counts as theirs.
        case service
        case program(SentMessages)
    }

    let header: BusHeader
    let byteCount: Int
    let descriptorCount: Int
    private(set) var origin: Origin
    private let memory: BusMemory
    private let uncounted: Int

    init(_ header: BusHeader, bytes: (header: Int, body: Int), of origin: Origin, countedBy memory: BusMemory) {
        self.header = header
        byteCount = bytes.header + bytes.body
        descriptorCount = Int(header.descriptorCount)
        self.origin = origin
        self.memory = memory
        // Its body counts the rest.
        uncounted = bytes.header + min(bytes.body, BusBody.uncounted)
        memory.addWithoutRoom(uncounted)
        sent?.add(self)
    }

    deinit {
        sent?.remove(self)
        memory.subtract(uncounted)
    }

    /// What its sender has sent; `nil` if it counts as its receiver's.
    var sent: SentMessages? {
        if case .program(let sent) = origin { sent } else { nil }
    }

    /// Has it count as its receiver's, who has got the beginning.
    func leaveToReceiver() {
        sent?.remove(self)
        origin = .service
    }
}
