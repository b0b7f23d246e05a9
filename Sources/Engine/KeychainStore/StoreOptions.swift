// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// The settings of a store.
package struct StoreOptions: Sendable, Hashable {
    /// The total time that a call waits for other processes and for other calls of this process.
    package var busyTimeoutMilliseconds: Int32

    /// Whether concurrent changes of items are grouped, with one sync of the log (Architecture, "Choices").
    ///
    /// This increases the throughput if many threads change items.
    package var makesChangesTogether: Bool

    /// How many calls may read at the same time, each over a connection of its own; 1 at least.
    package var readerCount: Int

    /// Whether a store on a file system for several hosts, such as NFS, is written, under a lock that all of them see.
    ///
    /// The default is whether `SWIFT_KEYCHAIN_NETWORK_HOME` is `1`.
    package var allowsSharedFolders = ProcessEnvironment.value("SWIFT_KEYCHAIN_NETWORK_HOME") == "1"

    /// Whether a store whose log is missing, or is a different one, is opened without the contents of its own log.
    ///
    /// The default is whether `SWIFT_KEYCHAIN_MISSING_LOG` is `accept`.
    package var acceptsMissingLog = ProcessEnvironment.value("SWIFT_KEYCHAIN_MISSING_LOG") == "accept"

    /// How many KiB of pages each connection caches; `nil` for what SQLite does, 2 MiB.
    package var cacheKibibytes: Int?

    /// The maximum size of the file in pages of 4 KiB; `nil` for no limit.
    package var maximumPageCount: Int?

    /// The same as the size of the file in MiB.
    package var largestMebibytes: Int? {
        get { maximumPageCount.map { $0 / Self.pagesOfMebibyte } }
        set { maximumPageCount = newValue.map { $0 * Self.pagesOfMebibyte } }
    }

    private static let pagesOfMebibyte = 256

    /// Creates settings; the defaults wait for ten seconds, and suit a program that makes occasional calls.
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
