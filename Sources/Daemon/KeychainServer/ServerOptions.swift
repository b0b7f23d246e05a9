// SPDX-License-Identifier: Apache-2.0

import KeychainHost
import KeychainWire

/// The limits and timeouts of a server.
package struct ServerOptions: Sendable, Hashable {
    /// The versions of the protocol that the server supports.
    package var versions = ProtocolVersion.supported
    /// The maximum number of connections; 4096.
    package var maximumConnections = 4096
    /// The maximum number of connections of one user; 4096.
    package var maximumConnectionsPerUser = 4096
    /// The maximum number of connections of one process, or of one sandboxed application; 256.
    ///
    /// All sandboxes of one user that are not identified have the limits of one sandboxed application together.
    package var maximumConnectionsPerProcess = 256
    /// The number of idle connections and subscriptions that a program keeps when the limit is reached; 4.
    package var maximumIdleConnections = 4
    /// The maximum number of concurrent commands of one process, or of one sandboxed application; further ones are
    /// queued; 16.
    package var maximumCallsPerProcess = 16
    /// The maximum number of concurrent commands of one user; further ones are queued; 128.
    package var maximumCallsPerUser = 128
    /// The maximum number of connections of one user whose processes are identified concurrently, apart from overdue
    /// ones; further ones are queued; 96.
    package var maximumAdmissionsPerUser = 96
    /// The same of one process, with overdue ones; 2.
    package var maximumAdmissionsPerProcess = 2
    /// The same of one mount namespace other than this process's, as a sandbox has, apart from overdue ones; 4.
    ///
    /// All of these together have half of the user's.
    package var maximumAdmissionsPerMountNamespace = 4
    /// The maximum number of threads that overdue identifications of one user may occupy before no more processes of
    /// that user are identified; 32.
    package var maximumOverdueAdmissionsPerUser = 32
    /// The maximum number of concurrent commands of one user that are not queued, such as a lock; further ones are; 8.
    package var maximumUrgentCallsPerUser = 8
    /// The maximum number of subscriptions to changes of one process, or of one sandboxed application; 64.
    package var maximumSubscriptionsPerProcess = 64
    /// The maximum number of authentication contexts of one process; the oldest is discarded for a new one; 256.
    package var maximumContextsPerProcess = 256
    /// The maximum number of authentication contexts of one user; the oldest one of the process with the most is
    /// discarded for a new one; 4096.
    package var maximumContextsPerUser = 4096
    /// The maximum number of concurrent receiving and closing calls of one process, or of one sandboxed application:
    /// such a call sleeps if the program passes a descriptor whose close sleeps; 8.
    package var maximumSleepingCallsPerProcess = 8
    /// The same of one user; 32.
    package var maximumSleepingCallsPerUser = 32
    /// The maximum number of threads, each of which executes one command at a time, including its prompts; 160.
    package var maximumWorkers = 160
    /// The maximum number of commands that prompt or wait for their turn to; further ones fail as if the user could not
    /// be prompted; 48.
    package var maximumQuestions = 48
    /// The same of one process, or of one sandboxed application; 8.
    package var maximumQuestionsPerProcess = 8
    /// The same of one user; 48.
    package var maximumQuestionsPerUser = 48
    /// The maximum number of bytes of messages of all connections: incomplete ones in either direction, and commands
    /// that are not answered yet; 256 MiB.
    package var maximumBufferedBytes = 256 << 20
    /// The same of one process, also in a sandbox; 192 MiB.
    package var maximumBufferedBytesPerProcess = 192 << 20
    /// The same of one user; 256 MiB.
    package var maximumBufferedBytesPerUser = 256 << 20

    /// The timeout for the rest of a message that has begun, and for the greeting after the connection; 10 seconds.
    package var messageMilliseconds: Int32 = 10_000
    /// The timeout for the identification of a program; 10 seconds.
    package var admissionMilliseconds: Int32 = 10_000
    /// The timeout for a process that does not read a reply; 10 seconds.
    package var answerMilliseconds: Int32 = 10_000
    /// The interval of notifications to a process that its command is still in progress; 5 seconds.
    package var workingMilliseconds: Int32 = 5_000
    /// The timeout for a command, apart from its prompts, such as on a file system that does not respond; ten minutes.
    package var commandMilliseconds: Int32 = 600_000
    /// The time for a process to confirm that a prompt has ended, beyond the prompt's own timeout; 5 seconds.
    package var promptGraceMilliseconds: Int32 = 5_000
    /// The time limit for commands in progress once the server is stopping; 10 seconds.
    package var stopMilliseconds: Int32 = 10_000
    /// The interval at which connections are checked while anything is in progress; one second.
    package var tickMilliseconds: Int32 = 1_000

    /// Which folder is served, so that programs which mean another one send nothing; `nil` for none, or many.
    package var folder: FolderNumber?

    /// The clock of the timeouts.
    package var clock = TimeoutClock.system

    /// The default options.
    package init() {}

    /// The options of the system service, where no user may use up what others need.
    package static var systemService: ServerOptions {
        var options = ServerOptions()
        options.maximumConnectionsPerUser = 512
        options.maximumCallsPerUser = 24
        options.maximumAdmissionsPerUser = 8
        options.maximumAdmissionsPerMountNamespace = 2
        options.maximumOverdueAdmissionsPerUser = 8
        options.maximumContextsPerUser = 1024
        options.maximumSleepingCallsPerProcess = 4
        options.maximumSleepingCallsPerUser = 8
        options.maximumQuestionsPerUser = 12
        options.maximumBufferedBytes = 512 << 20
        options.maximumBufferedBytesPerProcess = 96 << 20
        options.maximumBufferedBytesPerUser = 128 << 20
        return options
    }

    /// The number of threads that overdue identifications may occupy before users who have some are no longer admitted.
    var maximumOverdueAdmissions: Int { max(1, maximumWorkers / 5) }

    /// The maximum number of concurrent receiving and closing calls.
    var maximumSleepingCalls: Int { max(1, maximumWorkers / 5) }

    /// The maximum number of concurrent commands: the remaining threads identify programs, read, and execute urgent
    /// commands.
    var maximumCalls: Int {
        max(1, maximumWorkers - maximumOverdueAdmissions - maximumSleepingCalls - maximumWorkers / 20)
    }

    /// The limits of concurrent commands.
    var callLimits: ShareCount.Limits {
        .init(total: maximumCalls, ofProcess: maximumCallsPerProcess, ofUser: maximumCallsPerUser)
    }

    /// The limits of commands that prompt or wait for their turn to.
    var questionLimits: ShareCount.Limits {
        .init(total: maximumQuestions, ofProcess: maximumQuestionsPerProcess, ofUser: maximumQuestionsPerUser)
    }

    /// The limits of concurrent receiving and closing calls.
    var sleepingCallLimits: ShareCount.Limits {
        .init(
            total: maximumSleepingCalls,
            ofProcess: maximumSleepingCallsPerProcess,
            ofUser: maximumSleepingCallsPerUser
        )
    }

    /// So many milliseconds from now, by the clock of the timeouts.
    func deadline(milliseconds: Int32) -> Deadline { Deadline(milliseconds: milliseconds, by: clock) }

    /// The number of ticks in a time: at least one.
    func ticks(_ milliseconds: Int32) -> UInt64 { UInt64(max(1, milliseconds / max(1, tickMilliseconds))) }
}
