// SPDX-License-Identifier: Apache-2.0

import Testing

/// Bytes as two digits each, with blanks between where they help.
enum Hex {
    static func bytes(_ text: String) throws -> [UInt8] {
        let digits = Array(text.filter { $0 != " " })
        return try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
        }
    }
}
