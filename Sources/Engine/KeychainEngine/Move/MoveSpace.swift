// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import Synchronization

/// The disk space for all keychains that one process receives.
package final class MoveSpace: Sendable {
    private let limit: Int
    private let available: @Sendable (_ folder: String) -> Int?
    private let reserved = Mutex(0)

    /// Creates an empty reservation.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes at a time.
    ///   - available: the number of free bytes of the file system of a folder; `nil` if that is not known.
    package init(
        limit: Int = MoveLimits.serviceByteCount,
        available: @escaping @Sendable (_ folder: String) -> Int? = MoveSpace.freeByteCount
    ) {
        self.limit = limit
        self.available = available
    }

    /// Reserves space for an incoming keychain: for the received rows, the store, and its log.
    ///
    /// - Throws: ``KeychainError``, with `errSecDiskFull` if the disk lacks it.
    package func reserve(_ byteCount: Int, in folder: String) throws(KeychainError) -> Reservation {
        try check(3 * byteCount, in: folder)
        let reservedByteCount = max(byteCount, Self.minimumByteCount)
        let isReserved = reserved.withLock { reserved in
            guard reserved + reservedByteCount <= limit else { return false }
            reserved += reservedByteCount
            return true
        }
        guard isReserved else {
            throw KeychainError(
                .notAvailable,
                "the keychains of other users are being moved, which leaves no room for this one; try again later",
                kind: .unavailable
            )
        }
        return Reservation(of: self, reservedByteCount)
    }

    /// Checks that there is space for the received rows in a store and in its log.
    package func checkStore(_ byteCount: Int, in folder: String) throws(KeychainError) {
        try check(2 * byteCount, in: folder)
    }

    /// Checks that there is space for the log of a store whose rows are deleted, and overwritten with zeros.
    package func checkRemoval(_ byteCount: Int, in folder: String) throws(KeychainError) {
        try check(byteCount, in: folder)
    }

    private func check(_ byteCount: Int, in folder: String) throws(KeychainError) {
        guard let free = available(folder), free < byteCount + MoveLimits.freeByteCount else { return }
        throw KeychainError(
            .diskFull,
            "the disk of \(folder) has \(free >> 20) MiB free, and moving the keychain takes up to "
                + "\((byteCount + MoveLimits.freeByteCount) >> 20) MiB; nothing was changed",
            kind: .storage(.full)
        )
    }

    /// The number of bytes of the file system of a folder that this process's user may use (statvfs(3)).
    @Sendable
    package static func freeByteCount(_ folder: String) -> Int? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let (byteCount, isHuge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isHuge ? .max : Int(clamping: byteCount)
    }

    /// The minimum that every move counts for: 1 MiB.
    private static let minimumByteCount = 1 << 20

    /// Space that is reserved for the lifetime of this object.
    package final class Reservation: Sendable {
        private let space: MoveSpace
        private let byteCount: Int

        fileprivate init(of space: MoveSpace, _ byteCount: Int) {
            self.space = space
            self.byteCount = byteCount
        }

        deinit { space.reserved.withLock { $0 -= byteCount } }
    }
}
