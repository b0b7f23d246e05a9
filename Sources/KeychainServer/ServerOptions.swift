// SPDX-License-Identifier: Apache-2.0

/// How much a server takes on, and how patient it is.
public struct ServerOptions: Sendable, Hashable {
    /// How many connections there may be at once; 4096.
    public var mostConnections = 4096
    /// How many of them may come from one user; 4096.
    public var mostConnectionsOfUser = 4096
    /// How many of them may come from one process, or from one sandboxed application; 256.
    public var mostConnectionsOfProcess = 256
    /// How many idle connections a program may keep when others find no room; 4.
    public var mostIdleConnections = 4
    /// How many commands of one process, or of one sandboxed application, are carried out at once, further ones
    /// waiting; 16.
    public var mostCallsOfProcess = 16
    /// How many authentication contexts of one process are known at once, an older one going for a newer; 256.
    public var mostContextsOfProcess = 256
    /// How many threads carry out commands, at most, each for as long as a command takes or its prompt; 128.
    public var mostWorkers = 128
    /// How many commands prompt or wait for their turn to prompt, further ones failing as if nobody could be asked; 48.
    public var mostQuestions = 48
    /// How many of them may be of one process, or of one sandboxed application; 8.
    public var mostQuestionsOfProcess = 8
    /// How many bytes of messages are held for all connections together: of unfinished ones in either direction, and of
    /// commands that are not answered yet; 256 MiB.
    public var mostBufferedBytes = 256 << 20
    /// How many of them for one process; 192 MiB.
    public var mostBufferedBytesOfProcess = 192 << 20

    /// How long a message may take to arrive once it has begun, and a greeting from the connection on; 10 seconds.
    public var messageMilliseconds: Int32 = 10_000
    /// How long it may take to find out which program has connected; 10 seconds.
    public var admissionMilliseconds: Int32 = 10_000
    /// How long a process may leave an answer unread that does not fit into the socket; 10 seconds.
    public var answerMilliseconds: Int32 = 10_000
    /// After how long a process is told that its command is being carried out still, again and again; 5 seconds.
    public var workingMilliseconds: Int32 = 5_000
    /// How long a process may take to say that a prompt was ended, beyond the prompt's own time; 5 seconds.
    public var promptGraceMilliseconds: Int32 = 5_000
    /// How long commands under way may take to finish once the server is to stop; 10 seconds.
    public var stopMilliseconds: Int32 = 10_000
    /// How often connections are looked at while there is something to look at; a second.
    public var tickMilliseconds: Int32 = 1_000

    /// The options of a daemon.
    public init() {}

    /// How many threads may be kept by looks at programs that take too long.
    var mostOverdueAdmissions: Int { max(1, mostWorkers / 4) }

    /// How many commands are carried out at once: some threads are left for looks at programs, to read, and for what is
    /// urgent.
    var mostCalls: Int { max(1, mostWorkers - mostOverdueAdmissions - mostWorkers / 16) }

    /// How many ticks a time takes: one at least.
    func ticks(_ milliseconds: Int32) -> UInt64 { UInt64(max(1, milliseconds / max(1, tickMilliseconds))) }
}
