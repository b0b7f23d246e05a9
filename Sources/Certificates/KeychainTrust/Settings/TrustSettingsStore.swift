// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
package import KeychainCore
package import KeychainHost
import Synchronization

/// The storage of trust settings: for the user and for the whole system, in files or in memory.
///
/// The user's settings are `trust-settings.plist` in the folder of the user's keychain (`KeychainLocation`); those of
/// the system, which only root changes, are `/etc/swift-keychain/trust-settings.plist`. Other programs on Linux do not
/// use them.
package final class TrustSettingsStore: Sendable {
    /// The owner of settings.
    package enum Domain: Sendable, Hashable, CaseIterable {
        /// The user's own settings, which take precedence.
        case user
        /// The settings of the administrator, for all users.
        case admin
    }

    private enum Place: Sendable {
        /// The user's location may be unusable; then the user's denials are unknown.
        case files(user: Result<KeychainLocation, FileError>?, adminFolder: String)
        case memory
    }

    /// The name of the file.
    package static let fileName = "trust-settings.plist"

    /// The folder of the administrator's settings.
    package static let adminFolder = "/etc/swift-keychain"

    /// The name of the file whose presence disables users' own settings.
    private static let disablingName = "user-trust-settings.disabled"

    private static let lockName = "trust-settings.lock"

    /// The time that a change waits for another one, in milliseconds.
    private static let patience: Int32 = 30_000

    private let place: Place
    private let memory = Mutex<[Domain: TrustSettings]>([:])

    private init(_ place: Place) { self.place = place }

    /// The settings of this process's user, and of the administrator.
    package static let process = TrustSettingsStore(environment: ProcessEnvironment.path, adminFolder: adminFolder)

    /// The settings of the user that an environment specifies, and of the administrator.
    ///
    /// A user without a home has no settings. Any other defect of the location is an error of every evaluation: a
    /// denial must not be ignored.
    package convenience init(
        environment: (String) throws(FileError) -> String?,
        homeOfUser: () throws(FileError) -> String? = KeychainLocation.lookUpHome,
        adminFolder: String
    ) {
        let user: Result<KeychainLocation, FileError>?
        var failure: FileError?
        func home() -> String? {
            do throws(FileError) { return try homeOfUser() } catch {
                failure = error
                return nil
            }
        }
        do throws(FileError) {
            user = .success(try KeychainLocation(environment: environment, homeOfUser: home))
        } catch {
            if case .noHome = error, failure == nil { user = nil } else { user = .failure(failure ?? error) }
        }
        self.init(.files(user: user, adminFolder: adminFolder))
    }

    /// The settings of the administrator alone.
    package static let system = TrustSettingsStore(.files(user: nil, adminFolder: adminFolder))

    /// Settings in files elsewhere.
    package static func files(user: KeychainLocation?, adminFolder: String) -> TrustSettingsStore {
        TrustSettingsStore(.files(user: user.map { .success($0) }, adminFolder: adminFolder))
    }

    /// Settings in memory; initially empty.
    package static func inMemory() -> TrustSettingsStore { TrustSettingsStore(.memory) }

    /// The settings of a domain; empty if there is no file.
    ///
    /// - Throws: `errSecInvalidTrustSettings` for a file that is damaged, another status for one that cannot be read or
    ///   that others may change: a denial in it must not be ignored.
    package func settings(_ domain: Domain) throws(KeychainError) -> TrustSettings {
        switch (place, domain) {
        case (.memory, _): return memory.withLock { $0[domain] ?? TrustSettings() }
        case (.files(nil, _), .user): return TrustSettings()
        case (.files(let location?, _), .user):
            let path = (try? location.get()).map { "\($0.path)/\(Self.fileName)" }
            return try read(path ?? Self.fileName) { () throws(FileError) in
                let existing = try PrivateDirectory(existing: location.get())
                guard let folder = existing, try folder.hasFile(Self.fileName) else { return nil }
                return try folder.withContents(of: Self.fileName, limit: TrustSettings.maximumBytes + 1) { Data($0) }
            }
        case (.files(_, let folder), .admin):
            let path = "\(folder)/\(Self.fileName)"
            return try read(path) { () throws(FileError) in try Self.adminFile(path) }
        }
    }

    /// All settings that apply, in order of precedence.
    package func all() throws(KeychainError) -> [TrustSettings] {
        var all: [TrustSettings] = []
        for domain in countingDomains { all.append(try settings(domain)) }
        return all
    }

    /// A snapshot of the settings that apply, in memory.
    ///
    /// - Throws: As ``settings(_:)``.
    package func copyInMemory() throws(KeychainError) -> TrustSettingsStore {
        let copy = TrustSettingsStore.inMemory()
        for domain in countingDomains {
            let settings = try settings(domain)
            copy.memory.withLock { $0[domain] = settings }
        }
        return copy
    }

    private var countingDomains: [Domain] { Domain.allCases.filter { $0 != .user || areUserSettingsEnabled } }

    /// Whether users' own settings apply, which the administrator can disable.
    package var areUserSettingsEnabled: Bool {
        guard case .files(_, let folder) = place else { return true }
        var status = stat()
        return lstat("\(folder)/\(Self.disablingName)", &status) != 0 || status.st_uid != 0
    }

    /// Enables or disables users' own settings.
    ///
    /// - Throws: `errSecWrPerm` unless the process is root.
    package func enableUserSettings(_ isEnabled: Bool) throws(KeychainError) {
        guard case .files(_, let folder) = place else { return }
        try Self.checkRoot()
        let path = "\(folder)/\(Self.disablingName)"
        guard isEnabled else { return try write(Data(), to: Self.disablingName, in: folder) }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw KeychainError(.io, "\(path) cannot be removed", kind: .storage(.file))
        }
    }

    /// Changes the settings of a domain, excluding all other changes: `body` must not request settings itself.
    ///
    /// - Throws: `errSecWrPerm` for settings of the administrator, unless the process is root.
    package func change<Result>(
        _ domain: Domain,
        _ body: (inout TrustSettings) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        switch (place, domain) {
        case (.memory, _):
            return try memory.withLock { (all) throws(KeychainError) in
                var settings = all[domain] ?? TrustSettings()
                let result = try body(&settings)
                all[domain] = settings
                return result
            }
        case (.files(nil, _), .user):
            throw KeychainError(.notAvailable, "there is no user whose trust settings could be changed")
        case (.files(let location?, _), .user):
            let folder = try errors { () throws(FileError) in try PrivateDirectory(location.get()) }
            let deadline = Deadline(milliseconds: Self.patience)
            let lock = try errors { () throws(FileError) in
                try FileLock(Self.lockName, in: folder, until: deadline)
            }
            return try Self.withLockHeld(lock) { () throws(KeychainError) in
                var settings = try settings(domain)
                let result = try body(&settings)
                try write(settings.propertyList, in: folder)
                return result
            }
        case (.files(_, let folder), .admin):
            try Self.checkRoot()
            Self.make(folder)
            let lock = try errors { () throws(FileError) in
                try FileLock(at: "\(folder)/\(Self.lockName)", until: Deadline(milliseconds: Self.patience))
            }
            return try Self.withLockHeld(lock) { () throws(KeychainError) in
                var settings = try settings(domain)
                let result = try body(&settings)
                try write(settings.propertyList, to: Self.fileName, in: folder)
                return result
            }
        }
    }

    // MARK: - Files

    /// Runs `body` while holding a lock.
    private static func withLockHeld<Result>(
        _ lock: consuming FileLock,
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        let result = Swift.Result { () throws(KeychainError) in try body() }
        _ = consume lock
        return try result.get()
    }

    /// The settings of a file; empty if `contents` returns none.
    private func read(
        _ path: String,
        _ contents: () throws(FileError) -> Data?
    ) throws(KeychainError) -> TrustSettings {
        guard let data = try errors({ () throws(FileError) in try contents() }) else { return TrustSettings() }
        do throws(KeychainError) {
            return try TrustSettings(propertyList: data)
        } catch {
            throw KeychainError(error.status, "\(path): \(error.reason)", kind: error.kind, facts: ["path": path])
        }
    }

    private func write(_ list: Data, in folder: PrivateDirectory) throws(KeychainError) {
        let former = FileIdentity(path: folder.path(of: Self.fileName))
        do throws(KeychainError) {
            try errors { () throws(FileError) in
                // The function of `Data` does not have typed throws.
                try list.withUnsafeBytes { bytes in
                    Swift.Result { () throws(FileError) in try folder.makeFile(Self.fileName, bytes) }
                }.get()
            }
        } catch {
            var failure = error
            // The new file has its name: only the sync of the folder failed.
            if FileIdentity(path: folder.path(of: Self.fileName)) != former {
                failure.reason += "; the settings are changed, but may be lost after a power failure"
            }
            throw failure
        }
    }

    private func errors<Result: ~Copyable>(_ body: () throws(FileError) -> Result) throws(KeychainError) -> Result {
        do throws(FileError) { return try body() } catch {
            throw KeychainError(.io, "the trust settings: \(error)", kind: .storage(.file), facts: error.facts)
        }
    }

    /// The contents of the administrator's file, which only root may write; `nil` if there is none.
    private static func adminFile(_ path: String) throws(FileError) -> Data? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .system(call: "open", path: path, errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(call: "fstat", path: path, errno: errno) }
        guard status.st_uid == 0 else { throw .exposed(path: path, "belongs to another user than root") }
        guard status.st_mode & 0o022 == 0 else { throw .exposed(path: path, "can be written to by others than root") }
        return Data(try FileContents.read(descriptor, path: path, atMost: TrustSettings.maximumBytes))
    }

    private static func checkRoot() throws(KeychainError) {
        guard geteuid() == 0 else {
            throw KeychainError(Status(rawValue: -61), "only root changes the trust settings of the system")
        }
    }

    /// Creates the folder of the administrator if it is missing, readable by all users.
    private static func make(_ folder: String) { if mkdir(folder, 0o755) == 0 { _ = chmod(folder, 0o755) } }

    /// Writes a file of the administrator, readable by all users.
    private func write(_ data: Data, to name: String, in folder: String) throws(KeychainError) {
        let path = "\(folder)/\(name)"
        do {
            Self.make(folder)
            _ = try AtomicFile.replace(path, nil, with: Array(data), mode: 0o644)
        } catch {
            throw KeychainError(.io, "the trust settings \(path) cannot be written", kind: .storage(.file))
        }
    }
}
