// SPDX-License-Identifier: Apache-2.0

/// Collects the bytes of a connection, one message at a time: nothing is held for what has not arrived.
package struct BusFrameReader: ~Copyable {
    private let limit: Int
    private let memory: BusMemory?
    private var bytes: [UInt8] = []
    private var head: BusFrameHead?
    private var header: BusHeader?
    private var body: BusBody

    /// An empty reader.
    ///
    /// - Parameters:
    ///   - limit: the largest size of a message.
    ///   - memory: counts what is held.
    package init(atMost limit: Int, countedBy memory: BusMemory? = nil) {
        self.limit = limit
        self.memory = memory
        body = BusBody(countedBy: memory)
    }

    /// How many bytes are held.
    package var capacity: Int { bytes.capacity + body.capacity }

    /// Adds bytes up to the end of a message.
    ///
    /// - Returns: How many of them belong to it, and the message, once it is complete.
    /// - Throws: ``BusFailure``, before anything is held of a message that is refused by its first bytes.
    package mutating func append(_ more: UnsafeRawBufferPointer) throws(BusFailure) -> (taken: Int, frame: BusFrame?) {
        var taken = 0
        if head == nil {
            taken += take(more, upTo: BusFrameHead.byteCount)
            guard bytes.count == BusFrameHead.byteCount else { return (taken, nil) }
            head = try parsed { (bytes) throws(BusFailure) in try BusFrameHead(bytes, limit: limit) }
        }
        guard let head else { return (taken, nil) }
        if header == nil {
            taken += take(UnsafeRawBufferPointer(rebasing: more[taken...]), upTo: head.headerByteCount)
            guard bytes.count == head.headerByteCount else { return (taken, nil) }
            header = try parsed { (bytes) throws(BusFailure) in try BusHeader(head, bytes) }
        }
        guard let header else { return (taken, nil) }
        let part = UnsafeRawBufferPointer(rebasing: more[taken...].prefix(head.bodyByteCount - body.count))
        guard body.append(part, whole: head.bodyByteCount) else { throw .tooLong }
        taken += part.count
        guard body.count == head.bodyByteCount else { return (taken, nil) }
        let frame = BusFrame(header, body)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4_096)
        (self.head, self.header, body) = (nil, nil, BusBody(countedBy: memory))
        return (taken, frame)
    }

    private mutating func take(_ more: UnsafeRawBufferPointer, upTo count: Int) -> Int {
        let part = more.prefix(count - bytes.count)
        bytes += part
        return part.count
    }

    private func parsed<Part>(
        _ parse: (UnsafeRawBufferPointer) throws(BusFailure) -> Part
    ) throws(BusFailure) -> Part {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BusFailure) in try parse(bytes) }
        }
        return try result.get()
    }
}
