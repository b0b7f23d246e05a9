// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// The limits of a bus.
package struct BusOptions: Sendable {
    /// How many programs may be connected.
    package var maximumConnections = 256
    /// How many of them may not have said Hello yet; the one that has waited longest makes room for another.
    package var maximumIncompleteConnections = 64
    /// The time for that, in milliseconds.
    package var handshakeMilliseconds: Int32 = 10_000
    /// The largest message of a program: a secret of 16 MiB, and what is around it.
    package var maximumFrameBytes = 17 << 20
    /// The largest message of the service, which may answer with many secrets: that of D-Bus.
    package var maximumServiceFrameBytes = BusFrame.mostBytes
    /// How many bytes of what a connection has sent may wait for others before it is read again, how many of the bus's
    /// own may wait for a program, and behind how many signals for all are not sent to one.
    package var maximumQueuedBytes = 1 << 20
    /// How many descriptors of what a connection has sent may wait for others before it is read again.
    package var maximumQueuedDescriptors = 64
    /// For how long a connection is not read because others do not read what it has sent, in milliseconds; then they do
    /// not get it.
    package var pauseMilliseconds: Int32 = 10_000
    /// How many bytes of messages all programs may send half, and leave unread, at once; then a program that has the
    /// most of them makes room.
    package var maximumHeldBytes = 256 << 20
    /// How many bytes of answers of the service all programs may leave unread; then, of the programs that have read
    /// less than ``readBytes`` of them in ``pauseMilliseconds``, the one that has the most makes room.
    package var maximumUnreadBytes = 64 << 20
    /// How many bytes a program has to read in ``pauseMilliseconds`` of answers that hold up much, to keep them.
    package var readBytes = 1 << 20
    /// How many match rules a program may add.
    package var maximumRules = 512
    /// How many match rules all connections of a process may add: each signal is compared with all rules.
    package var maximumProcessRules = 2_048
    /// The longest match rule, in bytes.
    package var maximumRuleBytes = 1_024
    /// How many names a program may own or wait for.
    package var maximumNames = 64
    /// How many calls of a program may be without a reply: it may ask for all items at once.
    package var maximumPendingCalls = 16_384
    /// How many descriptors a message may pass.
    package var maximumDescriptors = 16
    /// How many descriptors of messages are held at once; then a program that has the most of them makes room.
    package var maximumHeldDescriptors = BusOptions.descriptorShare
    /// Called when no program can connect, because the process or the system has no descriptors left.
    package var descriptorsAreUsedUp: @Sendable () -> Void = {}
    /// The clock of time limits.
    package var clock = TimeoutClock.system

    /// The usual limits.
    package init() {}

    /// An eighth of what the process may have.
    private static var descriptorShare: Int {
        var limit = rlimit()
        // The constants of the C library have a type that its functions do not accept.
        getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        return Int(min(limit.rlim_cur / 8, 1_024))
    }

    func deadline(milliseconds: Int32) -> Deadline { Deadline(milliseconds: milliseconds, by: clock) }
}
