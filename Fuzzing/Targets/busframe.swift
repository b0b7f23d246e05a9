// SPDX-License-Identifier: Apache-2.0

import KeychainBus

/// Bytes of a client on the bus, in pieces whose size the first byte says.
///
/// Where the pieces are cut makes no difference, little memory is held for what has not arrived, and what the bus
/// passes on is what arrived.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let input = PiecedInput(bytes, count) else { return 0 }
    let whole = outcome(of: input.bytes, pieces: input.whole)
    precondition(whole == outcome(of: input.bytes, pieces: input.pieces), "it depends on the pieces what has arrived")
    guard case .message(let header, let body) = whole else { return 0 }
    let passedOn = header.encoded(bodyByteCount: body.count) + body
    let again = passedOn.withUnsafeBytes { outcome(of: $0, pieces: max(1, passedOn.count)) }
    precondition(again == whole, "what is passed on is another message")
    var arguments = SignalArguments(of: BusFrame(header, BusBody(body)))
    for index in 0..<64 { _ = arguments[index] }
    // A reply, as a program of ours reads it.
    body.withUnsafeBytes { bytes in
        var values = BusValueReader(bytes, order: header.order)
        try? values.skip(header.signature)
    }
    return 0
}

private enum Outcome: Equatable {
    case incomplete
    case refused(BusFailure)
    case message(BusHeader, [UInt8])
}

private func outcome(of bytes: UnsafeRawBufferPointer, pieces size: Int) -> Outcome {
    var reader = BusFrameReader(atMost: 17 << 20)
    var start = 0
    while start < bytes.count {
        let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
        do throws(BusFailure) {
            let (taken, frame) = try reader.append(piece)
            start += taken
            precondition(reader.capacity <= max(8_192, 4 * start), "memory for what has not arrived")
            if let frame { return .message(frame.header, frame.body.withBytes { Array($0) }) }
        } catch {
            return .refused(error)
        }
    }
    return .incomplete
}
