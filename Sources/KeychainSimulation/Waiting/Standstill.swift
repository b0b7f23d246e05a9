// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// What is said when something waits for so long that it may wait for ever.
package enum Standstill {
    /// After how many seconds it is said.
    package static let patience = Guarded(30.0)

    /// Who is told instead of standard error, for tests.
    package static let listener = Guarded<(@Sendable (String) -> Void)?>(nil)

    /// Of its own, because the threads of the others may all be blocked.
    private static let queue = DispatchQueue(label: "swift-keychain.standstill")

    static func tell(_ text: String) {
        if let listener = listener.withLock(\.self) { return listener(text) }
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }

    /// Runs `body` in so many seconds.
    static func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + seconds, execute: body)
    }
}
