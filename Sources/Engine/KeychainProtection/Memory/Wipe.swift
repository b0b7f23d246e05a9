// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport

extension UnsafeMutableRawBufferPointer {
    /// Overwrites the bytes with zeros; the optimizer may not remove it.
    func wipe() {
        keychain_wipe(baseAddress, count)
    }
}

extension [UInt8] {
    /// Overwrites the elements in place with zeros; call it on the only reference to the array.
    mutating func wipe() {
        withUnsafeMutableBytes { $0.wipe() }
    }
}
