// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The record of an item's former values: what is read is written as the same bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    for bytes in [input, edited(sample.encoded, input)] {
        guard var record = HistoryRecord(bytes) else { continue }
        precondition(record.encoded == bytes, "a record is not written as it is read")
        record.trim()
        precondition(record.values.count <= record.keep)
        precondition(HistoryRecord(record.encoded) == record)
    }
    return 0
}

private let sample = HistoryRecord(
    keep: 3,
    isOwn: true,
    values: [
        HistoryRecord.Value(
            FormerValue(.zero, replaced: .referenceDate, group: "é", byteCount: 3),
            isUnderPassword: false,
            sealed: [1, 2, 3]
        ),
        HistoryRecord.Value(
            FormerValue(.zero, replaced: .referenceDate, group: "", byteCount: 0),
            isUnderPassword: true,
            sealed: []
        ),
    ]
)
