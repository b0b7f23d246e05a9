// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// An event on a device, for code that simulates its owner and its hardware, and for logs.
package enum DeviceEvent: Sendable, Hashable {
    /// A passcode was tried, and was right.
    case passcodeAccepted
    /// The device was erased: no item, no passcode, other keys.
    case erased
    /// The store got another version by a change of this process.
    case storeVersionChanged(StoreVersionChange)
}
