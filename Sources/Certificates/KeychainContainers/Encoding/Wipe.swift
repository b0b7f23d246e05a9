// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

extension [UInt8] {
    /// Overwrites the bytes; in place as long as nothing else holds the array.
    mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            explicit_bzero(start, bytes.count)
        }
    }
}

extension Data {
    /// Moves the bytes out, and overwrites what is left.
    mutating func takeBytes() -> [UInt8] {
        let bytes = Array(self)
        withUnsafeMutableBytes { rest in
            guard let start = rest.baseAddress else { return }
            explicit_bzero(start, rest.count)
        }
        return bytes
    }
}
