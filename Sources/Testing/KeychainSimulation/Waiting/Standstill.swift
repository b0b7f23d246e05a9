// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A message about a wait that may never end.
package enum Standstill {
    /// The number of seconds before the message.
    package static let patience = Guarded(30.0)

    /// Receives the message instead of standard error, for tests.
    package static let listener = Guarded<(@Sendable (String) -> Void)?>(nil)

    /// A separate queue, because all other threads may be blocked.
    private static let queue = DispatchQueue(label: "swift-keychain.standstill")

    static func report(_ text: String) {
        if let listener = listener.withLock(\.self) { return listener(text) }
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }

    /// Runs `body` after this many seconds.
    static func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + seconds, execute: body)
    }
}
