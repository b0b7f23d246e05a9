// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport

/// The built `security`, run as a process of its own session, which has no controlling terminal unless it is given one.
struct ToolProcess {
    /// What a process left behind.
    struct Result: Equatable {
        var status: Int32
        var output: [UInt8]
        var errors: [UInt8]

        var outputText: String { String(decoding: output, as: UTF8.self) }
        var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    enum Failure: Error {
        case noTool(String)
        case spawn(Int32)
        case unfinished([String])
    }

    /// A process that runs.
    struct Running {
        let identifier: pid_t

        /// The exit status; a negative number for a signal.
        func wait(seconds: Double = 600) throws -> Int32 {
            let limit = Date(timeIntervalSinceNow: seconds)
            var status: Int32 = 0
            while waitpid(identifier, &status, WNOHANG) == 0 {
                guard Date() < limit else {
                    kill(identifier, SIGKILL)
                    waitpid(identifier, &status, 0)
                    throw Failure.unfinished(["\(identifier)"])
                }
                usleep(500)
            }
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
        }
    }

    /// The program lies beside the bundle of the tests, where the package manager builds both.
    static func path() throws -> String {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let path = program.deletingLastPathComponent().appendingPathComponent("security").path
        guard access(path, X_OK) == 0 else { throw Failure.noTool(path) }
        return path
    }

    /// What the three standard descriptors are; a path, or `nil` for a closed one.
    struct Streams {
        var input: String? = "/dev/null"
        var output: String?
        var errors: String?
    }

    /// Starts the program in a folder.
    ///
    /// With a shell in between, because posix_spawn(3) cannot change the folder; bytes pass it unchanged.
    static func start(
        _ arguments: [[UInt8]],
        in folder: String,
        environment: [String: String],
        _ streams: Streams,
        blocksSignals: Bool = false
    ) throws -> Running {
        var redirections = ""
        if streams.input == nil { redirections += " 0<&-" }
        if streams.output == nil { redirections += " 1>&-" }
        if streams.errors == nil { redirections += " 2>&-" }
        let script = "cd \"$1\" && shift && exec \"$@\"" + redirections
        let words = ["/bin/sh", "-c", script, "sh", folder, try path()].map { Array($0.utf8) } + arguments
        let variables = environment.map { Array("\($0.key)=\($0.value)".utf8) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of a test block signals, and a child would inherit that.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        if blocksSignals { sigfillset(&blocked) }
        posix_spawnattr_setsigmask(&attributes, &blocked)
        // The first is POSIX_SPAWN_SETSID, which Swift does not see.
        posix_spawnattr_setflags(&attributes, 0x80 | Int16(POSIX_SPAWN_SETSIGMASK))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, streams.input ?? "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, streams.output ?? "/dev/null", flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, streams.errors ?? "/dev/null", flags, 0o600)
        var identifier: pid_t = 0
        let status = withCStrings(words) { words in
            withCStrings(variables) { posix_spawn(&identifier, "/bin/sh", &actions, &attributes, words, $0) }
        }
        guard status == 0 else { throw Failure.spawn(status) }
        return Running(identifier: identifier)
    }

    private static func withCStrings<Result>(
        _ strings: [[UInt8]],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = strings.map { string in
            (string + [0]).withUnsafeBufferPointer { bytes in
                bytes.baseAddress.flatMap { start in
                    start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { strdup($0) }
                }
            }
        }
        copies.append(nil)
        defer { for copy in copies { free(copy) } }
        return body(&copies)
    }
}

/// A user: an empty home, an empty folder for temporary files, and an empty current folder.
final class ToolUser: Sendable {
    let home: TemporaryFolder
    let temporary: TemporaryFolder
    let current: TemporaryFolder

    init() throws {
        home = try TemporaryFolder(prefix: "home")
        temporary = try TemporaryFolder(prefix: "tmp")
        current = try TemporaryFolder(prefix: "cwd")
    }

    /// The keychain's folder, as it derives from the home.
    var keychainPath: String { home.path(of: ".local/share/swift-keychain") }

    var environment: [String: String] {
        ["HOME": home.path, "TMP": temporary.path, "PATH": "/usr/bin:/bin"]
    }

    /// The printed name of the keychain.
    var keychainName: String { home.path(of: "Library/Keychains/login.keychain-db") }

    /// Runs the program until it ends.
    @discardableResult
    func run(_ arguments: [String], input: String? = nil) throws -> ToolProcess.Result {
        try run(arguments.map { Array($0.utf8) }, input: input.map { Array($0.utf8) })
    }

    func run(_ arguments: [[UInt8]], input: [UInt8]? = nil) throws -> ToolProcess.Result {
        let files = try TemporaryFolder(prefix: "streams")
        var streams = ToolProcess.Streams(output: files.path(of: "output"), errors: files.path(of: "errors"))
        if let input {
            streams.input = files.path(of: "input")
            try Data(input).write(to: URL(fileURLWithPath: files.path(of: "input")))
        }
        let process = try ToolProcess.start(arguments, in: current.path, environment: environment, streams)
        let status = try process.wait()
        let contents = try ["output", "errors"].map {
            Array(try Data(contentsOf: URL(fileURLWithPath: files.path(of: $0))))
        }
        return ToolProcess.Result(status: status, output: contents[0], errors: contents[1])
    }
}
