// SPDX-License-Identifier: Apache-2.0

@testable import KeychainAudit

/// Lines of the daemon's audit log: an entry that was read is written as one line, and read as the same again; of a
/// full log, whole lines stay for which there is room.
///
/// Paths of programs: no two of them are written alike.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: bytes, count: count)
    let kept = AuditShares.kept(of: input.split(separator: 0x0A).map { Array($0)[...] }, maximumBytes: 1000)
    precondition(kept.reduce(0) { $0 + $1.count + 1 } <= 1000, "more stays than there is room for")
    precondition(kept.allSatisfy { NumberedAuditEntry(line: $0) != nil }, "what is no entry stays")
    precondition(path(of: AuditCaller.text(ofPath: Array(input))) == Array(input), "a path is not read as it was")
    guard let entry = AuditEntry(line: input) else { return 0 }
    let line = entry.line
    precondition(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character is not escaped")
    precondition(AuditEntry(line: line.utf8) == entry, "it is not read as it was written")
    return 0
}

/// The path that a text stands for.
private func path(of text: String) -> [UInt8] {
    var path: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\") else {
            path.append(byte)
            continue
        }
        guard rest.popFirst() == UInt8(ascii: "x") else {
            path.append(byte)
            continue
        }
        guard let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return [] }
        path.append(escaped)
        rest = rest.dropFirst(2)
    }
    return path
}
