// SPDX-License-Identifier: Apache-2.0

import KeychainTrace

/// Lines of a trace: a parsed line that is written again is parsed to the same line.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let entry = try? TraceEntry(line: Array(UnsafeBufferPointer(start: bytes, count: count))) else { return 0 }
    guard (try? TraceEntry(line: Array(entry.line.utf8))) != nil else {
        preconditionFailure("a line that was read cannot be written and read")
    }
    return 0
}
