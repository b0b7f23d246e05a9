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
        var outputs: [Int32] = []
        for target in [STDOUT_FILENO, STDERR_FILENO] {
            let (source, output) = try pipe()
            outputs.append(output)
            readers.enter()
            // A signal is for the thread that waits for the program.
            let isStarted = HostThread.start(.blocked) {
                copy(from: source, to: target, masking: secrets)
                close(source)
                readers.leave()
            }
            guard isStarted else { throw Refusal("the system cannot create another thread") }
        }
        defer { readers.wait() }
        return try ChildProgram.run(words, nil, variables: variables, outputs: outputs)
    }

    private static func pipe() throws(Refusal) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else {
            throw Refusal("there is no pipe for the command: \(String(cString: strerror(errno)))")
        }
        for end in ends { keychain_close_on_exec(end) }
        return (ends[0], ends[1])
    }

    private static func copy(from source: Int32, to target: Int32, masking secrets: [SecretBytes]) {
        var mask = SecretMask(secrets)
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { chunk.deallocate() }
        while true {
            let count = DescriptorInput.read(source, chunk)
            let shown = count > 0 ? mask.next(UnsafeRawBufferPointer(rebasing: chunk[..<count])) : mask.rest()
            shown.withUnsafeBytes { _ = DescriptorOutput.write($0, to: target) }
            guard count > 0 else { return }
        }
    }
}

/// Replaces secrets in a stream of bytes.
struct SecretMask {
    /// The longest first: one may be a part of another.
    private let secrets: [[UInt8]]

    /// The bytes that may be the beginning of a secret.
    private var held: [UInt8] = []

    private static let mask = Array("********".utf8)

    init(_ secrets: [SecretBytes]) {
        self.secrets = secrets.map(\.unprotectedCopy).filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    /// What can be shown after these bytes.
    mutating func next(_ bytes: some Collection<UInt8>) -> [UInt8] {
        held += bytes
        return take(isEnd: false)
    }

    /// What can be shown at the end.
    mutating func rest() -> [UInt8] { take(isEnd: true) }

    private mutating func take(isEnd: Bool) -> [UInt8] {
        var shown: [UInt8] = []
        var position = 0
        while position < held.count {
            let left = held[position...]
            // A secret, or a longer one, may follow.
            if !isEnd, secrets.contains(where: { $0.count > left.count && $0.starts(with: left) }) { break }
            if let secret = secrets.first(where: { left.starts(with: $0) }) {
                shown += Self.mask
                position += secret.count
            } else {
                shown.append(held[position])
                position += 1
            }
        }
        held.removeFirst(position)
        return shown
    }
}
