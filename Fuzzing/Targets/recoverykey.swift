// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// What somebody typed as a recovery key: what is one has one text, and what differs from that in a character is none.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let key = try? RecoveryKey(typed: SecretBytes(input)) {
        precondition((try? RecoveryKey(typed: key.text)) == key, "a recovery key has another text")
    }
    let altered = edited(sample.text.unprotectedCopy, input)
    if let key = try? RecoveryKey(typed: SecretBytes(altered)), key != sample {
        precondition(altered.count > RecoveryKey.textByteCount || distance(altered) > 4, "a mistake is not noticed")
    }
    return 0
}

/// In how many characters a text of the same length differs from that of the sample.
private func distance(_ altered: [UInt8]) -> Int {
    guard altered.count == RecoveryKey.textByteCount else { return .max }
    return zip(altered, sample.text.unprotectedCopy).count { $0 != $1 }
}

private let sample: RecoveryKey = {
    guard let key = RecoveryKey(SecretBytes(Array(0..<16))) else { preconditionFailure("it has 16 bytes") }
    return key
}()
