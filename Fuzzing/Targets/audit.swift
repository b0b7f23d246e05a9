// SPDX-License-Identifier: Apache-2.0

import KeychainAudit

/// A line of the daemon's audit log: an entry that was read is written as one line, and read as the same again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: bytes, count: count)
    guard let entry = AuditEntry(line: input) else { return 0 }
    let line = entry.line
    precondition(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character is not escaped")
    precondition(AuditEntry(line: line.utf8) == entry, "it is not read as it was written")
    return 0
}
