// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainDoctor
import KeychainEngine

extension VirtualDevice {
    /// Erases all content and settings: items, passcode, faces and fingers, and keys.
    ///
    /// Apps stay installed, and code that runs as one of them sees the erased device. A store that was full, read-only
    /// or damaged is healthy again.
    ///
    /// - Throws: ``VirtualDeviceError`` if the store cannot be written.
    public func erase() throws(VirtualDeviceError) {
        try setStorageCondition(.healthy)
        do throws(KeychainError) { try keychain.erase() } catch { throw VirtualDeviceError(error) }
        do throws(KeychainError) { try macKeychains?.erase() } catch { throw VirtualDeviceError(error) }
        leaveCloud()
        calls.history = CallHistory()
        try hidePasscode()
    }

    /// Signs the device out of its cloud: what it has of it is gone.
    package func leaveCloud() { cloudPart.withLock { $0 = nil } }
}
