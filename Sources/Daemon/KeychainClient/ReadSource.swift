// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch

/// Calls a handler whenever a descriptor is readable, until it is deallocated; no thread waits for that.
package final class ReadSource: @unchecked Sendable {
    // Dispatch sources are thread-safe, but not declared Sendable.
    private let source: any DispatchSourceRead
    private let forkGeneration = keychain_fork_generation()

    /// Starts to watch a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor.
    ///   - owner: closes it; retained while it is watched.
    ///   - queue: calls the handler.
    ///   - handler: reads from it.
    package init(
        _ descriptor: Int32,
        of owner: any AnyObject & Sendable,
        on queue: DispatchQueue,
        _ handler: @escaping @Sendable () -> Void
    ) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: handler)
        source.setCancelHandler { withExtendedLifetime(owner) {} }
        source.resume()
    }

    deinit {
        guard forkGeneration == keychain_fork_generation() else {
            // Dispatch cannot be used in a forked child, not even to release a source.
            _ = Unmanaged.passRetained(source as AnyObject)
            return
        }
        source.cancel()
    }
}
