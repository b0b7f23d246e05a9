// SPDX-License-Identifier: Apache-2.0

/// The automatic actions of a device.
package struct DevicePolicy: Sendable, Hashable {
    /// After how many seconds without a call a process locks itself; `nil` for never.
    package var autoLockAfterSeconds: Int?

    /// After how many wrong passcodes in a row everything is erased; `nil` for never.
    package var eraseAfterFailedAttempts: Int?

    /// A policy; the default does neither.
    package init(autoLockAfterSeconds: Int? = nil, eraseAfterFailedAttempts: Int? = nil) {
        self.autoLockAfterSeconds = autoLockAfterSeconds
        self.eraseAfterFailedAttempts = eraseAfterFailedAttempts
    }
}
