// SPDX-License-Identifier: Apache-2.0

/// An event on a device, for code that simulates its owner and its hardware.
package enum DeviceEvent: Sendable, Hashable {
    /// A passcode was tried, and was right.
    case passcodeAccepted
    /// The device was erased: no item, no passcode, other keys.
    case erased
}
