// SPDX-License-Identifier: Apache-2.0

/// What a backup holds, and what it does not.
public struct BackupCounts: Sendable, Hashable {
    /// How many items it holds.
    public var items = 0

    /// How many items were left out because they stay on the device, by protection class.
    public var leftOut: [String: Int] = [:]

    /// How many rows were left out because they are in quarantine, or could not be read.
    public var damaged = 0

    /// Nothing yet.
    public init() {}
}
