// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainServer

/// An answer that its program may not have read yet: its bytes count as the program's until the last reference is
/// released.
final class UnreadReply: Sendable {
    let byteCount: Int

    private let process: Int32
    private let held: HeldBytes?
    private let work: ClientWork

    /// What is around the values of a message.
    private static let headerByteCount = 256

    /// Counts an answer of so many bytes, to be sent later.
    ///
    /// - Throws: ``ServiceError/limitsExceeded`` if its program, or all of them, may not have so much.
    init(
        _ byteCount: Int,
        of process: Int32,
        _ connection: FrontConnection,
        in work: ClientWork
    ) throws(ServiceError) {
        held = try asServiceError { () throws(KeychainError) in try connection.hold(reply: byteCount) }
        self.byteCount = byteCount + Self.headerByteCount
        guard work.addUnread(self.byteCount, of: process) else { throw .limitsExceeded }
        (self.process, self.work) = (process, work)
    }

    /// Counts an answer that is sent now.
    init(sent byteCount: Int, of process: Int32, in work: ClientWork) {
        self.byteCount = byteCount + Self.headerByteCount
        (self.process, held, self.work) = (process, nil, work)
        work.addUnread(sent: self.byteCount, of: process)
    }

    deinit { work.removeUnread(byteCount, of: process) }
}
