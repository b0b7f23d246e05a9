// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainCore
import KeychainDoctor
import KeychainHost

/// Writes the reports of `keychainctl doctor`.
struct DoctorOutput {
    let surroundings: Surroundings
    let command: DoctorCommand

    /// Examines the calls, and reports the findings.
    ///
    /// - Returns: The exit status: the highest of the reports.
    func write(_ calls: [ExaminedCall]) throws -> Int32 {
        let redaction = command.redact ? Redaction.hashed : .none
        // Reports are written as they are produced, and not kept.
        var (exitStatus, counts) = (Int32(0), [String: Int]())
        for (index, call) in calls.enumerated() {
            let report = try report(call, redaction)
            surroundings.printLine(command.json ? report.json.indentedText : report.humanText)
            exitStatus = max(exitStatus, report.exitStatus)
            counts["\(report.diagnosis.verdict.rawValue): \(report.identity)", default: 0] += 1
            if let path = command.html, index == calls.count - 1 { try write(report.html, to: path) }
        }
        if calls.count > 1, !command.json { surroundings.printLine(summary(counts)) }
        return exitStatus
    }

    /// The report of a call, in the requested or recorded state of the device.
    ///
    /// A recorded state that cannot be simulated, because keys are locked now, is skipped.
    private func report(_ call: ExaminedCall, _ redaction: Redaction) throws(KeychainError) -> DoctorReport {
        do throws(KeychainError) {
            return try Doctor.report(call, redaction: redaction, of: surroundings.keychain)
        } catch {
            guard let state = call.lockState, command.lockState == nil, error.status == .interactionNotAllowed else {
                throw error
            }
            surroundings.remark(
                "The call was made while the device was \(state.rawValue); it is explained in the state that it is in now."
            )
            var call = call
            call.lockState = nil
            return try Doctor.report(call, redaction: redaction, of: surroundings.keychain)
        }
    }

    /// The number of occurrences of each cause, the most frequent first.
    private func summary(_ counts: [String: Int]) -> String {
        let lines = counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
        return (["Summary:"] + lines.map { "  \($0.value)  \($0.key)" }).joined(separator: "\n")
    }

    private func write(_ page: String, to path: String) throws(BadInput) {
        // For its owner alone: it shows attributes of items. What is there may be anything, and stays.
        do throws(FileError) { _ = try AtomicFile.create(path, Array(page.utf8)) } catch {
            throw BadInput("'\(path)' cannot be written: \(error)")
        }
    }
}

extension Redaction {
    /// Values are replaced by their HMAC-SHA256 (RFC 2104) under a new key.
    static var hashed: Redaction {
        let key = SymmetricKey(size: .bits256)
        return hashed { Array(HMAC<SHA256>.authenticationCode(for: $0, using: key)) }
    }
}
