// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainControl

/// Files that are sealed by a passphrase in the format of age: what opens is what was sealed, whatever was edited.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    for bytes in [input, edited(sample, input), edited(header, input)] {
        let file = SecretBytes(bytes)
        let isSealed = AgeFile.isOne(file)
        // Little work, or each round would take seconds.
        guard let opened = try? AgeFile.opened(file, by: passphrase, atMost: 2) else { continue }
        precondition(isSealed && AgeFile.hasPassphrase(file), "what opens is recognized")
        precondition(opened == plain, "nothing but what was sealed opens")
    }
    return 0
}

private let passphrase = SecretBytes(Array("correct horse".utf8))

/// Two chunks, the second one short.
private let plain = SecretBytes([UInt8](repeating: 7, count: 65_600))

private let sample: [UInt8] = {
    guard let sealed = try? AgeFile.sealed(plain, by: passphrase, log2Cost: 1) else {
        preconditionFailure("there is memory for little work")
    }
    return sealed.unprotectedCopy
}()

/// Where the edits of a short input lie close together.
private let header = Array(sample.prefix(300))
