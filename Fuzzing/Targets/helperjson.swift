// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// Items for the tools of AWS and for kubectl, the request of kubectl, and times: the answers are JSON on one line.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let buffer = UnsafeRawBufferPointer(start: start, count: count)
    let bytes = SecretBytes(copying: buffer)
    if let keys = try? AWSKeys(bytes) { check(keys.answer) }
    if let status = try? KubectlRequest.status(bytes), let request = try? KubectlRequest(nil) {
        check(request.answer(status))
    }
    let text = String(decoding: buffer, as: UTF8.self)
    if let request = try? KubectlRequest(text) { check(request.answer(.object([:]))) }
    _ = InternetTime.seconds(text)
    return 0
}

private func check(_ answer: String) {
    precondition(!answer.utf8.contains(0x0A), "an answer is one line")
    precondition((try? JSONParser.parse(answer.utf8, limitsMarks: false))?.members != nil, "an answer is an object")
}
