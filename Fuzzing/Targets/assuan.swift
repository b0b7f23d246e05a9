// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainAuthenticators

/// A line of pinentry's, and a text of a program's that is sent to it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let line = AssuanLine(bytes)
    if case .data(let data)? = line { precondition(data.count <= count, "decoding only removes bytes") }
    precondition(line == nil || count <= AssuanLine.longest + 1, "a line that is too long is none")

    let text = String(decoding: bytes, as: UTF8.self)
    let request = AssuanLine.request("D", text)
    precondition(request.count <= AssuanLine.longest + 1, "a request fits into a line")
    precondition(request.firstIndex(of: 0x0A) == request.count - 1, "a request is one line")
    let answer = request.dropLast().withUnsafeBytes { AssuanLine($0) }
    guard case .data(let data)? = answer else { preconditionFailure("what is escaped can be read") }
    precondition(text.utf8.starts(with: data.unprotectedCopy), "what is read is what was escaped")
    return 0
}
