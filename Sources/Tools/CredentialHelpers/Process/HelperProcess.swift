// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost
import Synchronization

/// The program for all helpers.
package enum HelperProcess {
    /// Serves the call that this process was started with.
    ///
    /// - Parameter keychain: the user's keychain.
    /// - Returns: The exit status.
    package static func run(_ keychain: any KeychainBackend) -> Int32 {
        let streams = ProcessStreams()
        // A caller that goes away is no reason to die in the middle of a change.
        signal(SIGPIPE, SIG_IGN)
        // Nor is the limit of a file's size, which is an error of write(2) then.
        signal(SIGXFSZ, SIG_IGN)
        guard let words = arguments() else {
            streams.remark("\(HelperName.program): an argument is not UTF-8")
            return 2
        }
        let chosen = HelperName.chosen(by: words)
        // What keychain-askpass is given is a prompt, whatever it says.
        if chosen?.name != .askpass, let text = text(for: chosen?.arguments ?? Array(words.dropFirst())) {
            streams.write(SecretBytes(Array(text.utf8)))
            return streams.outputFailure == nil ? 0 : 1
        }
        guard let (name, arguments) = chosen else {
            streams.remark("usage: \(usage); see keychain-helper(1)")
            return 2
        }
        let surroundings = HelperSurroundings(
            keychain: keychain,
            authenticator: ProcessAuthenticator(),
            environment: { ProcessEnvironment.value($0) },
            now: { time(nil) },
            streams: streams
        )
        let status = name.run(arguments, surroundings)
        guard let failure = streams.outputFailure else { return status }
        // A caller must not take a part of an answer for all of it; one that reads no more wants to hear nothing.
        guard failure != EPIPE else { return 1 }
        surroundings.remark(name, "standard output cannot be written: \(String(cString: strerror(failure)))")
        return 1
    }

    /// What `--version` and `--help` print.
    private static func text(for arguments: [String]) -> String? {
        switch arguments {
        case ["--version"]: "\(ProductVersion.text)\n"
        case ["--help"], ["-h"]:
            """
            Usage: \(usage)

            Credentials of other programs in the keychain. git, Docker, cargo and others run it by the name of a helper:
            \(HelperName.allCases.map { "  \($0.rawValue)" }.joined(separator: "\n"))

            Examples:
              keychainctl helper install git
                  Has git use its helper from now on.
              printf 'protocol=https\\nhost=example.com\\n' | git-credential-keychain get
                  Writes what the keychain has for a server, as git reads it.

            See keychain-helper(1).

            """
        default: nil
        }
    }

    private static var usage: String {
        let names = HelperName.allCases.map(\.word).joined(separator: "|")
        return "\(HelperName.program) \(names) [ARGUMENT...]"
    }

    /// `nil` if one of them is not UTF-8: as a string it would be another one.
    private static func arguments() -> [String]? {
        let words = (0..<Int(CommandLine.argc)).compactMap { index in
            CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
        }
        return words.count == CommandLine.argc ? words : nil
    }
}

/// The standard streams of this process.
private final class ProcessStreams: HelperStreams {
    private let input = Mutex(Input())
    private let output = Mutex<Int32?>(nil)

    /// The error number of the first write to standard output that failed.
    var outputFailure: Int32? { output.withLock(\.self) }

    /// What has been read of standard input, but not passed on yet.
    private struct Input {
        private var chunk = SecretBytes()
        private var position = 0

        private static let chunkByteCount = 1 << 14

        /// The next byte; `nil` at the end.
        mutating func next() throws(HelperFailure) -> UInt8? {
            if position == chunk.count { try fill() }
            guard position < chunk.count else { return nil }
            defer { position += 1 }
            return chunk.withUnsafeBytes { $0[position] }
        }

        private mutating func fill() throws(HelperFailure) {
            var count = 0
            let bytes = SecretBytes(count: Self.chunkByteCount) { count = DescriptorInput.read(STDIN_FILENO, $0) }
            guard count >= 0 else {
                throw HelperFailure("standard input cannot be read: \(String(cString: strerror(errno)))")
            }
            chunk = bytes.withUnsafeBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            position = 0
        }

        /// The bytes before the next one that ends them, or to the end; `nil` if there are no more.
        mutating func read(until isEnd: (UInt8) -> Bool) throws(HelperFailure) -> SecretBytes? {
            var bytes = SecretBuffer(capacity: Self.chunkByteCount)
            while let byte = try next() {
                if isEnd(byte) { return bytes.bytes }
                guard bytes.count < HelperFailure.largestByteCount else { throw HelperFailure.tooLarge }
                bytes.append(byte)
            }
            return bytes.count == 0 ? nil : bytes.bytes
        }
    }

    func readAll() throws(HelperFailure) -> SecretBytes {
        try input.withLock { (input) throws(HelperFailure) in try input.read { _ in false } } ?? SecretBytes()
    }

    func readLine() throws(HelperFailure) -> SecretBytes? {
        try input.withLock { (input) throws(HelperFailure) in try input.read { $0 == 0x0A } }
    }

    func write(_ bytes: SecretBytes) {
        output.withLock { failure in
            guard failure == nil, !bytes.withUnsafeBytes({ DescriptorOutput.write($0, to: STDOUT_FILENO) }) else {
                return
            }
            failure = errno
        }
    }

    /// A line may repeat arguments and names: a terminal obeys none of their characters.
    func remark(_ line: String) {
        PrintableText.lines("\(line)\n".utf8).withUnsafeBytes { _ = DescriptorOutput.write($0, to: STDERR_FILENO) }
    }
}
