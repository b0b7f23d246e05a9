// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Dispatch
import Glibc
import KeychainCore
import KeychainHost

/// The program of `keychainctl exec`.
enum ExecutedProgram {
    /// Becomes the program, or runs it and masks secrets in what it writes.
    ///
    /// - Returns: The exit status of the program, or that of a shell if it cannot be run.
    /// - Throws: ``Refusal`` if there is no process or pipe for it.
    @Sendable
    static func run(
        _ words: [String],
        _ variables: [(name: String, value: SecretBytes)],
        masking secrets: [SecretBytes]?
    ) throws(Refusal) -> Int32 {
        guard let secrets else { return try ChildProgram.replaceProcess(by: words, variables: variables) }
        let readers = DispatchGroup()
        // What another program, which it leaves in the background, writes later is not waited for.
        let (isOver, over) = try pipe()
        defer {
            close(over)
            readers.wait()
            close(isOver)
        }
        var outputs: [Int32] = []
        for target in [STDOUT_FILENO, STDERR_FILENO] {
            let (source, output) = try pipe()
            outputs.append(output)
            readers.enter()
            // A signal is for the thread that waits for the program; a failed write(2) is an error here.
            let isStarted = HostThread.start(.blocked) {
                copy(from: source, to: target, until: isOver, masking: secrets)
                // The program notices that nobody reads any more.
                close(source)
                readers.leave()
            }
            guard isStarted else {
                readers.leave()
                for output in outputs { close(output) }
                throw Refusal("the system cannot create another thread")
            }
        }
        return try ChildProgram.run(words, nil, variables: variables, outputs: outputs, passesUnlock: true)
    }

    private static func pipe() throws(Refusal) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        let failure = keychain_pipe(&ends)
        guard failure == 0 else {
            throw Refusal("there is no pipe for the command: \(String(cString: strerror(failure)))")
        }
        return (ends[0], ends[1])
    }

    /// Copies until the source ends, the target fails, or the program is over and what it left in the pipe is copied.
    private static func copy(
        from source: Int32,
        to target: Int32,
        until isOver: Int32,
        masking secrets: [SecretBytes]
    ) {
        var mask = SecretMask(secrets)
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { chunk.deallocate() }
        // How much of it the program may have written.
        var left: Int?
        while left ?? 1 > 0, waits(for: source, until: isOver, &left) {
            let count = DescriptorInput.read(source, chunk)
            guard count > 0 else { break }
            guard write(mask.next(UnsafeRawBufferPointer(rebasing: chunk[..<count])), to: target) else { return }
            left = left.map { $0 - count }
        }
        _ = write(mask.rest(), to: target)
    }

    /// Waits for bytes, or the end of the source.
    ///
    /// - Parameters:
    ///   - source: the source.
    ///   - isOver: ends when the program is over.
    ///   - left: the largest number of bytes that the pipe holds, from then on.
    /// - Returns: `false` if the program is over, and nothing is there.
    private static func waits(for source: Int32, until isOver: Int32, _ left: inout Int?) -> Bool {
        while true {
            var states = [
                pollfd(fd: source, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOver, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&states, left == nil ? 2 : 1, left == nil ? -1 : 0)
            if count < 0, errno == EINTR { continue }
            // Of both, the end of the program first: what is there then is all that it wrote.
            if left == nil, states[1].revents != 0 {
                left = max(Int(fcntl(source, pipeSize)), 1 << 16)
                continue
            }
            return count != 0
        }
    }

    /// `F_GETPIPE_SZ` of linux/fcntl.h.
    private static let pipeSize: Int32 = 1_032

    private static func write(_ bytes: [UInt8], to target: Int32) -> Bool {
        bytes.withUnsafeBytes { DescriptorOutput.write($0, to: target) }
    }
}
