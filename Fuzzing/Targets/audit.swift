// SPDX-License-Identifier: Apache-2.0

@testable import KeychainAudit

/// Lines of the daemon's audit log: an entry that was read is written as one line, and read as the same again; of a
/// full log, whole lines stay for which there is room.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: bytes, count: count)
    let kept = AuditShares.kept(of: input.split(separator: 0x0A).map { Array($0)[...] }, mostBytes: 1000)
    precondition(kept.reduce(0) { $0 + $1.count + 1 } <= 1000, "more stays than there is room for")
    precondition(kept.allSatisfy { NumberedAuditEntry(line: $0) != nil }, "what is no entry stays")
    guard let entry = AuditEntry(line: input) else { return 0 }
    let line = entry.line
    precondition(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character is not escaped")
    precondition(AuditEntry(line: line.utf8) == entry, "it is not read as it was written")
    return 0
}
