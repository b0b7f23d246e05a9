// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainWire

/// Bytes as they arrive at a socket: greetings, and a frame in pieces whose size the first byte says.
///
/// Where the pieces are cut makes no difference, and little memory is held for what has not arrived.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let input = PiecedInput(bytes, count) else { return 0 }
    _ = try? ClientGreeting(input.bytes)
    _ = try? ServerGreeting(input.bytes)
    precondition(
        outcome(of: input.bytes, pieces: input.pieces) == outcome(of: input.bytes, pieces: input.whole),
        "it depends on the pieces what has arrived"
    )
    return 0
}

private enum Outcome: Equatable {
    case incomplete
    case refused(WireError)
    case message(isReadable: Bool)
}

private func outcome(of bytes: UnsafeRawBufferPointer, pieces size: Int) -> Outcome {
    var reader = FrameReader()
    var start = 0
    while start < bytes.count {
        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
        do throws(WireError) {
            let (taken, isComplete) = try reader.append(piece, .message)
            start += taken
            let capacity = reader.capacity
            precondition(capacity <= max(4096, 2 * start), "memory for what has not arrived")
            guard !isComplete else { return .message(isReadable: isReadable(reader)) }
        } catch {
            // What is behind the end is seen with it in one piece only; up to the end it is a message in either case.
            guard error == .trailingBytes else { return .refused(error) }
            return .message(isReadable: isReadable(UnsafeRawBufferPointer(rebasing: bytes[..<wholeCount(bytes)])))
        }
    }
    return .incomplete
}

private func wholeCount(_ bytes: UnsafeRawBufferPointer) -> Int {
    let header = UnsafeRawBufferPointer(rebasing: bytes.prefix(WireMessage.headerByteCount))
    return WireMessage.headerByteCount + ((try? WireMessage.bodyLength(header)) ?? 0)
}

private func isReadable(_ reader: borrowing FrameReader) -> Bool { reader.withBytes { isReadable($0) } }

private func isReadable(_ frame: UnsafeRawBufferPointer) -> Bool { (try? WireMessage(frame: frame)) != nil }
