// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

extension [UInt8] {
    /// Overwrites the bytes, in place if nothing else references the array.
    mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            explicit_bzero(start, bytes.count)
        }
    }
}

extension Data {
    /// Returns the bytes, and overwrites the original.
    mutating func takeBytes() -> [UInt8] {
        let bytes = Array(self)
        withUnsafeMutableBytes { rest in
            guard let start = rest.baseAddress else { return }
            explicit_bzero(start, rest.count)
        }
        return bytes
    }
}
