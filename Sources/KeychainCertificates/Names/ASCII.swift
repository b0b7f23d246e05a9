// SPDX-License-Identifier: Apache-2.0

/// Comparison of host names and addresses, in which only the letters of ASCII have two cases.
enum ASCII {
    static func lowercased(_ text: some StringProtocol) -> [UInt8] {
        text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 0x20 : $0 }
    }
}
