// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainWire

/// Messages of a connection: a decoded message that is encoded again is decoded to the same message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let length = withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
    let frame = SecretBytes(length + Array(UnsafeBufferPointer(start: bytes, count: count)))
    // What passes between the system service and the process that judges certificates.
    frame.withUnsafeBytes { bytes in
        if let question = try? JudgementQuestion(frame: bytes) { precondition((try? question.encoded()) != nil) }
        if let verdict = try? JudgementVerdict(frame: bytes) { precondition((try? verdict.encoded()) != nil) }
    }
    guard let message = try? WireMessage(frame) else { return 0 }
    guard let written = try? message.encoded(), let again = try? WireMessage(written) else {
        preconditionFailure("a message that was read cannot be written and read")
    }
    // A number that is none is equal to nothing, so the lengths are compared.
    guard let twice = try? again.encoded(), twice.count == written.count else {
        preconditionFailure("a message changes when it is written and read")
    }
    return 0
}
