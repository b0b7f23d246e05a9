// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost
import Synchronization

/// Runs a program that makes a secret of its input, such as gpg: nothing of it is written to a file.
enum SecretFilter {
    /// Runs it.
    ///
    /// - Parameters:
    ///   - words: the program, which is searched for in PATH, and its arguments.
    ///   - input: its standard input, which stays open here; its standard error is ours.
    ///   - limit: the most bytes of its output.
    /// - Returns: What it wrote to its standard output.
    /// - Throws: ``Refusal`` if it cannot be run, fails, or writes more.
    @Sendable
    static func run(_ words: [String], input: Int32, atMost limit: Int) throws(Refusal) -> SecretBytes {
        var ends: [Int32] = [-1, -1]
        let failure = keychain_pipe(&ends)
        guard failure == 0 else {
            throw Refusal("there is no pipe for '\(words[0])': \(String(cString: strerror(failure)))")
        }
        let source = ends[0]
        let reader = DispatchGroup()
        let result = Mutex<SecretBytes?>(nil)
        reader.enter()
        let isStarted = HostThread.start(.blocked) {
            let bytes = read(source, atMost: limit)
            result.withLock { $0 = bytes }
            // A program that writes more notices that nobody reads.
            close(source)
            reader.leave()
        }
        guard isStarted else {
            for end in ends { close(end) }
            throw Refusal("the system cannot create another thread")
        }
        let status = try ChildProgram.run(words, nil, input: input, outputs: [ends[1]])
        reader.wait()
        guard let output = result.withLock({ $0 }) else {
            throw Refusal("'\(words[0])' writes more than \(limit) bytes")
        }
        guard status != 127 else { throw Refusal("'\(words[0])' is not installed") }
        guard status == 0 else { throw Refusal("'\(words[0])' failed with status \(status)") }
        return output
    }

    /// Reads to the end; `nil` if there is more than the limit, or an error.
    private static func read(_ source: Int32, atMost limit: Int) -> SecretBytes? {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer {
            keychain_wipe(chunk.baseAddress, chunk.count)
            chunk.deallocate()
        }
        var bytes = SecretBuffer(capacity: chunk.count)
        while true {
            let count = DescriptorInput.read(source, chunk)
            guard count > 0 else { return count == 0 ? bytes.bytes : nil }
            guard bytes.count + count <= limit else { return nil }
            bytes.append(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        }
    }
}
