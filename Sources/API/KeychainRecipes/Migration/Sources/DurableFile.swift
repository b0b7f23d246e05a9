// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An error of the system.
struct DurableFileError: Error {
    var number: Int32
    var hasOtherNames = false

    static var last: DurableFileError { DurableFileError(number: errno) }
}

/// Files whose changes are on the medium when a function returns.
enum DurableFile {
    /// The content of a regular file with one name; `nil` only if there is no file.
    static func read(_ path: String) throws(DurableFileError) -> Data? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw DurableFileError(number: errno, hasOtherNames: errno == ELOOP)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .last }
        guard status.st_mode & S_IFMT == S_IFREG else { throw DurableFileError(number: EINVAL) }
        guard status.st_nlink == 1 else { throw DurableFileError(number: EMLINK, hasOtherNames: true) }
        return try bytes(of: file)
    }

    private static func bytes(of file: Int32) throws(DurableFileError) -> Data {
        var result = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { retrying(file, at: $0.baseAddress, count: $0.count) }
            if count < 0 { throw .last }
            if count == 0 { return result }
            result.append(contentsOf: buffer[..<count])
        }
    }

    private static func retrying(_ file: Int32, at address: UnsafeMutableRawPointer?, count: Int) -> Int {
        while true {
            #if canImport(Darwin)
            let result = Darwin.read(file, address, count)
            #elseif canImport(Glibc)
            let result = Glibc.read(file, address, count)
            #elseif canImport(Musl)
            let result = Musl.read(file, address, count)
            #endif
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Removes a file's name; a missing file is not an error.
    static func unlink(_ path: String) throws(DurableFileError) {
        #if canImport(Darwin)
        let result = Darwin.unlink(path)
        #elseif canImport(Glibc)
        let result = Glibc.unlink(path)
        #elseif canImport(Musl)
        let result = Musl.unlink(path)
        #endif
        guard result == 0 || errno == ENOENT else { throw .last }
    }

    /// Replaces a file atomically by another with the same owner and permissions.
    static func replace(_ path: String, with contents: Data) throws(DurableFileError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last }
        // A name of its own: two runs must never write one file.
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let temporary = "\(folder(of: path))/\(temporaryPrefix(path)).\(number)\(temporarySuffix)"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .last }
        do throws(DurableFileError) {
            defer { close(file) }
            try write(contents, to: file)
            let mine = status.st_uid == geteuid() && status.st_gid == getegid()
            guard mine || fchown(file, status.st_uid, status.st_gid) == 0 else { throw .last }
            guard fchmod(file, status.st_mode & 0o7777) == 0 else { throw .last }
            copyProtection(of: path, at: temporary)
            guard flush(file) == 0 else { throw .last }
            Checkpoint.notifyObserver("temporary written")
            guard rename(temporary, path) == 0 else { throw .last }
        } catch {
            try? unlink(temporary)
            throw error
        }
        Checkpoint.notifyObserver("renamed")
        try syncFolder(of: path)
    }

    /// Removes temporary files of interrupted runs; requires the lock of the folder.
    static func removeTemporaries(of path: String) {
        let folder = folder(of: path)
        let prefix = temporaryPrefix(path)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix(prefix + ".") && name.hasSuffix(temporarySuffix) {
            try? unlink("\(folder)/\(name)")
        }
    }

    private static let temporarySuffix = ".migrating"

    private static func temporaryPrefix(_ path: String) -> String { ".\((path as NSString).lastPathComponent)" }

    /// The folder that a file is in.
    static func folder(of path: String) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    private static func write(_ contents: Data, to file: Int32) throws(DurableFileError) {
        var rest = [UInt8](contents)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                Darwin.write(file, bytes.baseAddress, bytes.count)
                #elseif canImport(Glibc)
                Glibc.write(file, bytes.baseAddress, bytes.count)
                #elseif canImport(Musl)
                Musl.write(file, bytes.baseAddress, bytes.count)
                #endif
            }
            if count < 0 && errno != EINTR { throw .last }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// Waits until the names in a file's folder are on the medium.
    static func syncFolder(of path: String) throws(DurableFileError) {
        let file = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else {
            // Without the folder there is no name to sync.
            if errno == ENOENT { return }
            throw .last
        }
        defer { close(file) }
        guard flush(file) == 0 else { throw .last }
    }

    private static func flush(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        // There, fsync leaves the bytes in the drive's own memory.
        if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(file)
    }

    /// Gives a new file the data protection of the one that it replaces.
    private static func copyProtection(of path: String, at temporary: String) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if let protection = attributes?[.protectionKey] {
            try? FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: temporary)
        }
        #endif
    }
}
