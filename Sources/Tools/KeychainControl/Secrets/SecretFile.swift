// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainHost

/// Reads and writes secrets that are whole files.
enum SecretFile {
    /// The bytes of a file; intermediate copies are wiped.
    ///
    /// - Parameters:
    ///   - path: the file; `-` for standard input.
    ///   - standardInput: the descriptor that `-` stands for.
    ///   - limit: the most bytes.
    /// - Returns: The bytes.
    /// - Throws: ``Refusal`` if it cannot be read, or is larger than an item, or the limit, may be.
    static func read(
        _ path: String,
        standardInput: Int32,
        atMost limit: Int = ItemLimits.secretByteCount
    ) throws(Refusal) -> SecretBytes {
        guard path != "-" else { return try read(standardInput, "standard input", atMost: limit) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("\(path) cannot be opened") }
        defer { close(descriptor) }
        return try read(descriptor, path, atMost: limit)
    }

    /// The bytes of a file that is neither a link nor anything else.
    ///
    /// - Throws: ``Refusal`` if it is, if it cannot be read, or is larger than an item may be.
    static func readRegular(_ path: String) throws(Refusal) -> SecretBytes {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("\(path) cannot be opened") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Refusal("\(path) is not a file")
        }
        return try read(descriptor, path)
    }

    private static func read(
        _ descriptor: Int32,
        _ name: String,
        atMost limit: Int = ItemLimits.secretByteCount
    ) throws(Refusal) -> SecretBytes {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer {
            keychain_wipe(chunk.baseAddress, chunk.count)
            chunk.deallocate()
        }
        var secret = SecretBuffer(capacity: chunk.count)
        while true {
            let count = DescriptorInput.read(descriptor, chunk)
            guard count >= 0 else { throw failure("\(name) cannot be read") }
            guard count > 0 else { return secret.bytes }
            guard secret.count + count <= limit else {
                let why = limit == ItemLimits.secretByteCount ? "no item may have" : "are not read at once"
                throw Refusal("\(name) has more than \(limit) bytes, which \(why)")
            }
            secret.append(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        }
    }

    /// Writes a secret to a new file, which only its owner may read and which appears when it is complete, or to
    /// standard output.
    ///
    /// - Throws: ``Refusal`` if it cannot be written, or the file exists already and is not replaced: another
    ///   process may have it open.
    static func write(
        _ secret: SecretBytes,
        to path: String?,
        standardOutput: Int32,
        replacing replaces: Bool = false
    ) throws(Refusal) {
        guard let path else { return try write(secret, to: standardOutput, "standard output") }
        try OwnFolder.check(path)
        // A run that was killed has left its secret there.
        FileDraft.removeRemains(beside: path)
        let draft = try making(path) { () throws(FileError) in try FileDraft(of: path) }
        try write(secret, to: draft.descriptor, path)
        try making(path) { () throws(FileError) in try replaces ? draft.publish() : draft.publishNew() }
    }

    /// Writes a secret to a descriptor.
    ///
    /// - Throws: ``Refusal`` if it cannot be written to.
    static func write(_ secret: SecretBytes, to descriptor: Int32) throws(Refusal) {
        try write(secret, to: descriptor, descriptor == STDOUT_FILENO ? "standard output" : "descriptor \(descriptor)")
    }

    private static func making<Result>(
        _ path: String,
        _ body: () throws(FileError) -> Result
    ) throws(Refusal) -> Result {
        do throws(FileError) { return try body() } catch {
            if case .taken = error { throw Refusal("\(path) cannot be made: File exists") }
            throw Refusal("\(path) cannot be made: \(error)")
        }
    }

    private static func write(_ secret: SecretBytes, to descriptor: Int32, _ name: String) throws(Refusal) {
        let isWritten = secret.withUnsafeBytes { DescriptorOutput.write($0, to: descriptor) }
        guard isWritten else { throw failure("\(name) cannot be written") }
    }

    private static func failure(_ what: String) -> Refusal { Refusal("\(what): \(String(cString: strerror(errno)))") }
}
