// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainCore

/// Puts the keychain files of a backup back.
struct KeychainFileRestoration {
    private let files: UserKeychainFiles
    private let planned: [UserKeychainFiles.Planned]
    private let conflicts: BackupMerge.Conflicts

    /// What came of it, or would come of it.
    struct Outcome {
        fileprivate(set) var lines: [(path: String, what: String)] = []

        /// The text after another one.
        func text(after text: String) -> String {
            guard !lines.isEmpty else { return text }
            let lines = lines.map { "    \($0.path.printable): \($0.what.printable)" }
            return ([text, "Keychain files:"] + lines).joined(separator: "\n")
        }

        var json: [String: JSONValue] {
            [
                "files": .array(
                    lines.map { .object(["path": .string($0.path), "outcome": .string($0.what)]) }
                )
            ]
        }
    }

    init(
        _ backedUp: [BackedUpFile],
        of files: UserKeychainFiles,
        into folder: String?,
        _ conflicts: BackupMerge.Conflicts
    ) {
        self.files = files
        self.conflicts = conflicts
        planned = files.plan(backedUp, into: folder)
    }

    /// Refuses to begin while a file differs and no choice was made.
    func checkIsDecided() throws(Refusal) {
        guard conflicts == .refuse, let file = planned.first(where: { $0.state == .different }) else { return }
        throw Refusal(
            "\(file.path.printable) differs from the one in the backup, and nothing was changed: choose --keep-ours, "
                + "--keep-theirs, --files-to or --no-keychain-files"
        )
    }

    /// What would be done.
    var plannedOutcome: Outcome {
        var outcome = Outcome()
        for file in planned {
            let what =
                switch file.state {
                case .absent: "to be restored"
                case .equal: "equal"
                case .different: "different"
                case .refused(let why): "not to be restored: \(why)"
                }
            outcome.lines.append((file.path, what))
        }
        return outcome
    }

    /// Puts the files back.
    func run() throws(Refusal) -> Outcome {
        var outcome = Outcome()
        let date = BackupDate.name(.now)
        for file in planned {
            switch file.state {
            case .absent:
                try files.create(file)
                outcome.lines.append((file.path, "restored"))
            case .equal: outcome.lines.append((file.path, "equal"))
            case .different where conflicts == .keepTheirs:
                let former = try files.replace(file, at: date)
                outcome.lines.append((file.path, "replaced; what was there is \(former)"))
            case .different: outcome.lines.append((file.path, "kept as it was"))
            case .refused(let why): outcome.lines.append((file.path, "not restored: \(why)"))
            }
        }
        return outcome
    }
}

extension Timestamp {
    /// The time of the wall clock.
    static var now: Timestamp { Timestamp(secondsSinceReferenceDate: Date().timeIntervalSinceReferenceDate) }
}
