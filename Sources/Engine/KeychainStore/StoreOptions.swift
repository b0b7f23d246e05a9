// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// The settings of a store.
package struct StoreOptions: Sendable, Hashable {
    /// How long a call waits for other processes and for the other calls of this one, all in all, before it gives up.
    package var busyTimeoutMilliseconds: Int32

    /// Whether changes of items that come at the same time are made together, with one sync of the log for all of them
    /// (Architecture, "Choices"): more of them in the same time, where many threads change items.
    package var makesChangesTogether: Bool

    /// How many calls may read at the same time, each over a connection of its own; 1 at least.
    package var readerCount: Int

    /// Whether a store is written where several hosts may use it, under a lock that all of them see: NFS and the like.
    ///
    /// By default if `SWIFT_KEYCHAIN_NETWORK_HOME` is `1`.
    package var allowsSharedFolders = ProcessEnvironment.value("SWIFT_KEYCHAIN_NETWORK_HOME") == "1"

    /// Whether a store is opened whose log is missing, or is another one, without what was in its own.
    ///
    /// By default if `SWIFT_KEYCHAIN_MISSING_LOG` is `accept`.
    package var acceptsMissingLog = ProcessEnvironment.value("SWIFT_KEYCHAIN_MISSING_LOG") == "accept"

    /// How many KiB of pages each connection caches; `nil` for what SQLite does, 2 MiB.
    package var cacheKibibytes: Int?

    /// How many pages the file may have, of 4 KiB each; `nil` for as many as there is room for.
    package var maximumPageCount: Int?

    /// The same as the size of the file in MiB.
    package var largestMebibytes: Int? {
        get { maximumPageCount.map { $0 / Self.pagesOfMebibyte } }
        set { maximumPageCount = newValue.map { $0 * Self.pagesOfMebibyte } }
    }

    private static let pagesOfMebibyte = 256

    /// Settings; the default waits for ten seconds, and is for a program that makes a call now and then.
    package init(
        busyTimeoutMilliseconds: Int32 = 10_000,
        makesChangesTogether: Bool = false,
        readerCount: Int = 1
    ) {
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        self.makesChangesTogether = makesChangesTogether
        self.readerCount = readerCount
    }
}
