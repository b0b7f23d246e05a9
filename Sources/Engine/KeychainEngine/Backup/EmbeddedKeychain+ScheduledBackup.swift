// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainProtection
import KeychainStore

extension EmbeddedKeychain {
    /// Makes a backup, as ``KeychainMaintenance/createBackup(_:)`` describes.
    ///
    /// A scheduled one, which no person looks at, is read again and opened with its secret before it is reported.
    func perform(_ request: BackupRequest) throws(KeychainError) -> KeychainReply {
        try Self.check(request.files)
        // A locked keychain is the reason that is reported, whether its secret can be read or not.
        try access.withEngine(.observing) { (engine) throws(KeychainError) in try engine.checkBackup() }
        let secret =
            switch request.secret {
            case .given(let secret): secret
            case .ofSchedule: try scheduledSecret()
            }
        switch request.destination {
        case .path(let path):
            let report = try createBackup(at: path, secret: secret, files: request.files)
            guard request.secret == .ofSchedule else { return .backup(report) }
            do throws(KeychainError) {
                try verify(BackupReader(path), with: secret, against: report)
            } catch {
                unlink(path)
                throw error
            }
            return .backup(report)
        case .reply:
            let (report, bytes) = try backupImage(
                atMost: Self.largestReply,
                secret: secret,
                files: request.files
            )
            guard bytes.count <= Self.largestReply else {
                throw KeychainError(
                    .dataTooLarge,
                    "the backup has \(bytes.count) bytes, and the service sends \(Self.largestReply) at most"
                )
            }
            if request.secret == .ofSchedule { try verify(BackupReader(bytes: bytes), with: secret, against: report) }
            return .sentBackup(report, bytes)
        }
    }

    /// Less than the longest message of a daemon, which is 64 MiB.
    private static let largestReply = 63 << 20

    private static func check(_ files: [BackedUpFile]) throws(KeychainError) {
        guard files.count <= BackedUpFile.maximumCount else {
            throw .parameter("a backup has \(BackedUpFile.maximumCount) keychain files at most")
        }
        var sum = 0
        for file in files {
            if let objection = file.objection {
                throw .parameter("a keychain file cannot be in a backup: \(objection)")
            }
            sum += file.contents.count
        }
        guard sum <= BackedUpFile.largestSum else {
            throw .parameter("the keychain files have more than \(BackedUpFile.largestSum) bytes together")
        }
        guard Set(files.map(\.name)).count == files.count else { throw .parameter("two keychain files have one name") }
    }

    private func verify(
        _ reader: BackupReader,
        with secret: SecretBytes,
        against report: BackupReport
    ) throws(KeychainError) {
        let inspection = try BackupInspection(reader)
        let found = try inspection.contents(secret, atLeast: access.device.passwordFloor, access.derivations).report
        guard found == report else {
            throw KeychainError(
                .io,
                "the backup does not contain what was written to it; the disk may be failing",
                kind: .storage(.damaged)
            )
        }
    }
}
