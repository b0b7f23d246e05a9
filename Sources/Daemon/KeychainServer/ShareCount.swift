// SPDX-License-Identifier: Apache-2.0

/// How many of something are in progress, in total and of each process and user, and how many may be.
package struct ShareCount: Sendable {
    /// The maximum numbers.
    package struct Limits: Sendable {
        let total: Int
        let ofProcess: Int
        let ofUser: Int

        /// Limits of all, of one process or sandboxed application, and of one user.
        package init(total: Int, ofProcess: Int, ofUser: Int) {
            self.total = total
            self.ofProcess = ofProcess
            self.ofUser = ofUser
        }
    }

    private let limits: Limits
    /// The number of all in progress.
    package private(set) var total = 0
    private var ofProcess: [ConnectedProcess.Share: Int] = [:]
    private var ofUser: [UInt32: Int] = [:]

    /// A count from zero.
    package init(atMost limits: Limits) { self.limits = limits }

    /// Whether one more of a process may begin.
    package func hasRoom(for share: ConnectedProcess.Share) -> Bool {
        total < limits.total && ofProcess[share, default: 0] < limits.ofProcess
            && ofUser[share.user, default: 0] < limits.ofUser
    }

    /// Counts one more; `false` if a limit is reached.
    package mutating func begin(_ share: ConnectedProcess.Share) -> Bool {
        guard hasRoom(for: share) else { return false }
        total += 1
        ofProcess[share, default: 0] += 1
        ofUser[share.user, default: 0] += 1
        return true
    }

    /// Counts one less.
    package mutating func end(_ share: ConnectedProcess.Share) {
        total -= 1
        ofProcess.subtractOne(share)
        ofUser.subtractOne(share.user)
    }
}

extension Dictionary where Value == Int {
    /// Subtracts one, and removes a value of zero.
    mutating func subtractOne(_ key: Key) {
        let left = self[key, default: 1] - 1
        self[key] = left == 0 ? nil : left
    }
}
