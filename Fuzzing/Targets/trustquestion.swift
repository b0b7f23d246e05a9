// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import KeychainTrust

/// What a statically linked program sends to the `keychaind` that evaluates certificates for it, and what that answers.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Data(bytes: bytes, count: count)
    if let question = try? TrustQuestion(encoding: input) {
        precondition((try? TrustQuestion(encoding: question.encoding)) != nil, "what is sent is read again")
        _ = try? question.trustRequest()
    }
    if let answer = try? TrustAnswer(encoding: input) {
        precondition((try? TrustAnswer(encoding: answer.encoding)) != nil, "what is sent is read again")
        _ = try? answer.evaluation()
        _ = try? answer.anchors()
    }
    return 0
}
