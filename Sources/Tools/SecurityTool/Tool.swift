// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import CommandHelp
import Glibc
import KeychainCore
import KeychainFiles
import KeychainMacFrontEnd
import KeychainTrust

/// The `security` command.
package struct Tool {
    private let keychains: Keychains

    /// The terminal for password prompts; `nil` to always read from standard input.
    private let terminal: String?

    private let trustSettings: TrustSettingsStore

    /// Creates the command for the keychains of a user.
    ///
    /// - Parameters:
    ///   - backend: performs requests, including those for keychain files.
    ///   - preferences: the search list, the default keychain and their home folder; by default those of this process.
    ///   - terminal: the path of the terminal; `nil` for none.
    ///   - trustSettings: the trust settings of the user and the administrator.
    ///   - unlocksForAll: whether an unlock of the data protection keychain outlives this program.
    package init(
        backend: any KeychainBackend,
        preferences: KeychainPreferences? = nil,
        terminal: String? = "/dev/tty",
        trustSettings: TrustSettingsStore = .process,
        unlocksForAll: @escaping @Sendable () -> Bool = { false }
    ) {
        let name = preferences.map { KeychainName(home: ByteText($0.home.path)) } ?? .current
        let home = keychain_environment("HOME").map { String(cString: $0) }
        keychains = Keychains(
            dataProtection: UserKeychain(backend: backend, name: name, unlocksForAll: unlocksForAll),
            files: backend.files,
            preferences: preferences ?? KeychainPreferences(home: KeychainHome(variable: home))
        )
        self.terminal = terminal
        self.trustSettings = trustSettings
    }

    /// Runs the command that this process was started with.
    ///
    /// Secrets among the arguments are overwritten first, so that a list of processes no longer shows them.
    ///
    /// - Returns: The exit status; the system takes its low byte.
    package func runProcess() -> Int32 {
        StandardDescriptors.prepare()
        ProcessSignals.prepare()
        let words = Self.readArguments()
        if GlobalOptions(words).asksForCompletion { AnswerDeadline.start(milliseconds: ValueCompletion.milliseconds) }
        return run(words, input: STDIN_FILENO, output: .standard, errors: .errors)
    }

    /// Runs a command with other streams, for tests.
    ///
    /// - Parameters:
    ///   - arguments: the arguments without the name of the program.
    ///   - input: the descriptor of standard input.
    ///   - output: that of standard output.
    ///   - errors: that of standard error.
    /// - Returns: The 32-bit status.
    package func run(arguments: [[UInt8]], input: Int32, output: Int32, errors: Int32) -> Int32 {
        let words = [Word("security")] + arguments.map { Word(SecretBytes($0)) }
        return run(words, input: input, output: Output(descriptor: output), errors: Output(messagesTo: errors))
    }

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - words: the arguments, the name of the program first.
    ///   - input: the descriptor of standard input.
    ///   - output: standard output.
    ///   - errors: standard error.
    /// - Returns: The 32-bit status.
    func run(_ words: [Word], input: Int32, output: Output, errors: Output) -> Int32 {
        do {
            return try run(words, options: GlobalOptions(words), input: input, output: output, errors: errors)
        } catch let failure as Output.Failure where failure.code == EPIPE {
            // The reader of the output has seen enough, as with `head`. The status still shows that not all was
            // written.
            return 1
        } catch let failure as Output.Failure {
            try? errors.write("security: the output cannot be written: \(String(cString: strerror(failure.code)))\n")
        } catch {
            try? errors.write("security: \(Status.internal.text)\n")
        }
        return 1
    }

    private func run(
        _ words: [Word],
        options: GlobalOptions,
        input: Int32,
        output: Output,
        errors: Output
    ) throws -> Int32 {
        if let problem = options.problem {
            try errors.write("\(problem.message)\n")
            return try showUsage(output)
        }
        if options.asksForVersion {
            try output.write("\(ProductVersion.text)\n")
            return 0
        }
        if options.asksForCompletion {
            let line = (try? InputFile.bytes(input)) ?? SecretBytes()
            let completion = ValueCompletion(keychains: keychains)
            let candidates = completion.candidates(after: ValueCompletion.words(line)).map { "\($0)\n" }
            try output.write(ByteText(candidates.joined()))
            return 0
        }
        let command = Array(words[options.commandIndex...])
        let reader = LineReader(descriptor: input, readsAhead: options.isInteractive && command.isEmpty)
        let session = Session(
            keychains: keychains,
            trustSettings: trustSettings,
            output: output,
            errors: errors,
            input: reader,
            prompts: PasswordPrompt(
                input: reader,
                errors: errors,
                terminal: terminal,
                usesStandardInput: options.readsPasswordsFromInput,
                endsInput: !command.isEmpty
            ),
            isQuiet: options.isQuiet,
            isVerbose: options.isVerbose,
            isInteractive: command.isEmpty
        )
        if options.asksForHelp {
            return try HelpCommand.explain(command, typedName: words[options.commandIndex - 1], in: session)
        }
        if !command.isEmpty { return try session.run(command) }
        guard options.isInteractive else { return try showUsage(output) }
        return try InteractiveMode(session: session, prompt: options.prompt ?? InteractiveMode.defaultPrompt).run()
    }

    private func showUsage(_ output: Output) throws -> Int32 {
        try output.write(GlobalOptions.usage + CommandTable.list)
        return CommandFailure.usage.status
    }

    /// The arguments of the process; secret ones are wiped from its memory afterwards, except for the returned copies.
    private static func readArguments() -> [Word] {
        let arguments = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        let words = arguments.map { argument in
            Word(
                argument.map { SecretBytes(copying: UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
                    ?? SecretBytes()
            )
        }
        for place in secretPlaces(in: words) {
            guard let argument = arguments[place.word] else { continue }
            keychain_wipe(argument + place.offset, strlen(argument) - place.offset)
        }
        return words
    }

    static func secretPlaces(in words: [Word]) -> [GetOpt.Place] {
        let start = GlobalOptions(words).commandIndex
        guard start < words.count, let entry = CommandTable.entry(matching: words[start]) else { return [] }
        return SecretArguments.places(in: words, from: start + 1, entry.options)
    }
}

/// The signal handling of this process.
enum ProcessSignals {
    /// Makes writing to a pipe without a reader, or beyond the limit of a file's size, an error of write(2) instead of
    /// silently ending the program.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }
}

/// The three descriptors that every program expects to be open.
enum StandardDescriptors {
    /// Makes them safe to use.
    ///
    /// Otherwise a closed one would be assigned to the next file that is opened, perhaps a key, and be written to. It
    /// is opened such that using it fails.
    static func prepare() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            let mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
            // The lowest free number is the closed one, because those below it are open.
            _ = open("/dev/null", mode)
        }
    }
}
