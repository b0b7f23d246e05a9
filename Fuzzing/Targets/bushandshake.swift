// SPDX-License-Identifier: Apache-2.0

import KeychainBus

/// Bytes of a client before its first message, in pieces whose size the first byte says.
///
/// Where the pieces are cut makes no difference, and nobody but the user is welcome.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let input = PiecedInput(bytes, count) else { return 0 }
    let whole = outcome(of: input.bytes, pieces: input.whole)
    precondition(whole == outcome(of: input.bytes, pieces: input.pieces), "it depends on the pieces what is answered")
    precondition(whole.answer.count <= BusHandshake.mostLines * 64, "an answer is a line for a line")
    let foreign = outcome(of: input.bytes, pieces: input.whole, peer: 0)
    precondition(foreign.progress != .complete, "another user is welcome")
    return 0
}

private struct Outcome: Equatable {
    var taken = 0
    var answer: [UInt8] = []
    var progress = BusHandshake.Progress.incomplete
}

private func outcome(of bytes: UnsafeRawBufferPointer, pieces size: Int, peer: UInt32 = 1_000) -> Outcome {
    var handshake = BusHandshake(peer: peer, user: 1_000, identifier: "0123456789abcdef0123456789abcdef")
    var outcome = Outcome()
    while outcome.taken < bytes.count, handshake.progress == .incomplete {
        let end = min(outcome.taken + size, bytes.count)
        let (taken, answer) = handshake.receive(UnsafeRawBufferPointer(rebasing: bytes[outcome.taken..<end]))
        outcome.taken += taken
        outcome.answer += answer
    }
    outcome.progress = handshake.progress
    return outcome
}
