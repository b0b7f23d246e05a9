// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainSync

/// What a round did, and what it found.
package struct SyncReport: Sendable, Hashable {
    /// The number of the newest commit that is applied.
    package internal(set) var number: UInt64 = 0
    /// The number of records that were merged.
    package internal(set) var merged = 0
    /// The number of changes that were sent.
    package internal(set) var sent = 0
    /// The changes of this device that lost to those of others.
    package internal(set) var overwritten: [Bytes16] = []
    /// The number of changes that wait to be sent.
    package internal(set) var queued = 0
    /// The number of records that wait for the unlock.
    package internal(set) var waiting = 0
    /// What was found.
    package internal(set) var problems: [SyncProblem] = []
    /// Whether everything that can be sent now is sent.
    package internal(set) var isComplete = false
}

/// What a person should know of.
package enum SyncProblem: Sendable, Hashable {
    /// A commit of this number does not count: it is of a stranger, or out of order.
    case uncountedCommit(UInt64, SyncFault)
    /// A membership entry of this number does not count.
    case uncountedEntry(UInt64, SyncFault)
    /// The engine altered or withheld a record.
    case withheld(Bytes16)
    /// A record does not open.
    case closed(Bytes16, author: Bytes16)
    /// A record is no item that this device stores.
    case refused(Bytes16, author: Bytes16)
    /// A change is dated more than a day ahead.
    case dateAhead(Bytes16, author: Bytes16)
    /// A change here is older than a delete that everybody forgot: the item is back.
    case broughtBack(Bytes16)
    /// A change is larger than a record, and stays on this device.
    case tooLarge(Bytes16)
    /// There is no box, or another one than was signed.
    case noKeys(epoch: UInt32)
    /// A later version of this program is needed to send.
    case newerFormat
}

/// Why a round ended early; the device's own items are as good as ever.
package enum SyncStop: Error, Sendable, Hashable {
    /// The engine has no such circle.
    case noCircle
    /// This device is no member yet.
    case notAdmitted
    /// The zone is stopped until a person decides.
    case alarm(SyncAlarm)
    /// The engine withholds records that a first or full comparison needs.
    case incomplete
    /// Another round of this device is under way.
    case busy
}
