// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore
import KeychainEngine
import KeychainHost

/// The keychain of `check` and `repair`: its files, and the service that has its items if the files do not.
struct CheckedKeychain {
    private let service: KeychainService
    private let surroundings: Surroundings

    init(_ service: KeychainService, _ surroundings: Surroundings) {
        self.service = service
        self.surroundings = surroundings
    }

    /// Checks the store.
    ///
    /// - Parameter passcode: asks for the passcode; `nil` if that is not wanted. Called only if a passcode is set.
    /// - Returns: What was found.
    /// - Throws: ``KeychainError``, or the errors of `passcode`.
    func check(_ passcode: () throws(Refusal) -> SecretBytes?) throws -> StoreReport {
        let check = StoreCheck(at: service.location)
        var report = try check.run()
        if isElsewhere {
            if report.lockedRows == 0, let passcode = try passcode() {
                try surroundings.keychain.device.unlock(passcode: passcode)
            }
            report.add(try surroundings.keychain.maintenance.check())
        } else if report.lockedRows > 0, let passcode = try passcode() {
            report = try check.run(passcode: passcode)
        }
        return report
    }

    /// Whether the system service has the items.
    private var isElsewhere: Bool {
        !service.location.path.hasPrefix(KeychainLocation.systemFolder + "/")
            && StoreCheck(at: service.location).owner == .system
    }

    /// Refuses to repair the files of a keychain whose items are in the system service.
    func refuseElsewhere() throws(KeychainError) {
        guard isElsewhere else { return }
        let units = "\(SystemdUnits.socketUnit) \(SystemdUnits.serviceUnit)"
        throw KeychainError(
            .notAvailable,
            "the system service has the keychain; root repairs it there, while the service is stopped: 'systemctl stop \(units)', "
                + "then '\(SystemServiceFiles.commandOfRoot("repair"))'"
        )
    }

    /// Runs `body` while the user's daemon is stopped.
    func whileStopped<Result>(
        _ body: () throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        var result: Swift.Result<Result, KeychainError>?
        do throws(Refusal) {
            guard try service.folder() != nil else {
                throw Refusal("there is no keychain in \(service.location.path)")
            }
            try service.withExclusiveAccess { (folder) throws(Refusal) in
                try service.whileStopped(folder) {
                    result = Swift.Result { () throws(KeychainError) -> Result in try body() }
                }
            }
        } catch {
            throw KeychainError(.notAvailable, error.description, kind: .unavailable)
        }
        guard let result else { preconditionFailure("the body was run, or there is an error") }
        return try result.get()
    }
}

/// The exit statuses of `check` and `repair`.
enum DamageExit {
    private static let damaged = ExitCode(1)
    private static let unreadable = ExitCode(4)

    static func status(of report: StoreReport, _ files: [KeychainFileCheck]) -> ExitCode {
        if report.verdict == .unreadable { return unreadable }
        return report.verdict == .damaged || files.contains(where: \.isDamaged) ? damaged : .success
    }

    static func status(of outcome: StoreRepair.Outcome) -> ExitCode {
        if outcome.before.verdict == .unreadable { return unreadable }
        return outcome.isDone || !outcome.isNeeded ? .success : damaged
    }

    /// Runs `body`; if it fails, says why, with the status.
    static func reporting<Result>(_ surroundings: Surroundings, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as KeychainError {
            surroundings.remark("Error: \(Refusal(error).description)")
            switch error.kind {
            case .unavailable, .storage(.file), .storage(.damaged), .storage(.inputOutput): throw unreadable
            default: throw damaged
            }
        }
    }
}
