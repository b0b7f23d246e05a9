// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore

extension SecretBytes {
    /// The concatenated bytes of all parts.
    init(joining parts: [SecretBytes]) {
        self.init(count: parts.reduce(0) { $0 + $1.count }) { buffer in
            var start = 0
            for part in parts {
                part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[start...]).copyMemory(from: $0) }
                start += part.count
            }
        }
    }

    /// The bytes of a library's result, which is overwritten in place.
    package init(wiping data: consuming Data) {
        self = data.withUnsafeBytes { SecretBytes(copying: $0) }
        data.resetBytes(in: data.startIndex..<data.endIndex)
    }
}
