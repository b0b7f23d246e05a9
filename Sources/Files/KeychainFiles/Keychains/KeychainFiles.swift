// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import Synchronization

/// The file-based keychains that this process has opened, by the paths of their files, and their lock state.
///
/// The daemon has one for all programs of its user; a test has its own. Thread-safe: commands on one keychain take
/// turns, those on different ones do not wait for each other.
package final class KeychainFiles: KeychainBackend {
    private let device: DeviceOptions
    private let clock: any KeychainClock
    private let lock = ForkSafeLock()
    // The file systems on which removed files are being looked for.
    private let checked = Mutex(Set<UInt64>())
    // Under the lock.
    nonisolated(unsafe) private var keychains: [PathKey: KeychainFile] = [:]

    /// Keychains that nothing is known of yet.
    package convenience init() { self.init(device: DeviceOptions()) }

    /// The same with another clock, or less work per password, for tests.
    package init(device: DeviceOptions, clock: any KeychainClock = SystemClock()) {
        var device = device
        device.secretForm = FileSecretForm()
        self.device = device
        self.clock = clock
    }

    /// The same with negligible work per password, for tests of this and other packages.
    package static func forTesting() -> KeychainFiles {
        var device = DeviceOptions()
        device.passwordWork = .testing
        return KeychainFiles(device: device)
    }

    /// Keychain files alone.
    package var families: CommandFamily { .files }

    /// Carries out a command on keychain files.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        guard case .files(let fileCommand) = command else { throw .unserved(command) }
        return try perform(fileCommand)
    }

    private func perform(_ command: KeychainFileCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .lockAll:
            lockAll()
            return .done
        case .keychain(let path, let action):
            guard path.isAbsolutePath, !path.utf8.contains(0) else {
                throw .parameter("the path of a keychain file is absolute")
            }
            return try keychain(at: Self.resolved(path)).perform(action)
        }
    }

    /// Whether a keychain holds unlocked keys; does not count as a use of it, and never waits.
    package var holdsUnlockedKeys: Bool { !unlocked.isEmpty }

    /// Those that hold unlocked keys; each is asked, because it discards the contents of a large one that has locked.
    private var unlocked: [KeychainFile] { all.filter(\.holdsKeys) }

    /// The paths of those that hold unlocked keys.
    var unlockedPaths: [String] { unlocked.map(\.path) }

    /// Locks the keychains whose files were removed: those of each file system on a thread of its own, unless one is at
    /// it, because a file system may not respond.
    package func lockRemovedInBackground() {
        for (fileSystem, keychains) in Dictionary(grouping: unlocked, by: \.fileSystem) {
            guard checked.withLock({ $0.insert(fileSystem).inserted }) else { continue }
            let end = { @Sendable [self] in _ = checked.withLock { $0.remove(fileSystem) } }
            let isStarted = HostThread.start(.blocked) {
                for keychain in keychains { keychain.lockIfRemoved() }
                end()
            }
            if !isStarted { end() }
        }
    }

    /// Locks every keychain.
    package func lockAll() { for keychain in all { keychain.lock() } }

    /// Locks the keychains whose settings require that when the host goes to sleep.
    package func hostWillSleep() { for keychain in all { keychain.hostWillSleep() } }

    /// One path for all that lead to a file, so that it has one lock state, and a link to it stays one.
    private static func resolved(_ path: String) -> String {
        if let real = realPath(path) { return real }
        guard let name = path.pathNames.last, let folder = realPath(path.parentFolder) else { return path }
        return (folder == "/" ? "" : folder) + "/" + name
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(validatingCString: real)
    }

    private var all: [KeychainFile] {
        lock.acquire()
        defer { lock.release() }
        return Array(keychains.values)
    }

    private func keychain(at path: String) -> KeychainFile {
        lock.acquire()
        defer { lock.release() }
        if let known = keychains[PathKey(path)] { return known }
        // Only those that hold keys have to be kept. No file is looked at while others wait for the lock.
        if keychains.count >= Self.maximumKnownKeychains { keychains = keychains.filter { $0.value.holdsKeys } }
        let keychain = KeychainFile(at: path, device, clock)
        keychains[PathKey(path)] = keychain
        return keychain
    }

    private static let maximumKnownKeychains = 1 << 10
}
