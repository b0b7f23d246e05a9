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

        /// The files that were to be put back and were not.
        fileprivate var missing: [String] = []

        /// Names them, once everything else was done; `nil` if there are none.
        var refusal: Refusal? {
            guard !missing.isEmpty else { return nil }
            let names = missing.map(\.printable).joined(separator: ", ")
            return Refusal(
                "not restored: \(Count.text(missing.count, "keychain file")) (\(names)); everything else is done"
            )
        }

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

    /// Puts the files back, all that can be.
    func run() -> Outcome {
        var outcome = Outcome()
        let date = TimeText.name(.now)
        for file in planned {
            do throws(Refusal) {
                outcome.lines.append((file.path, try put(file, at: date)))
            } catch {
                outcome.lines.append((file.path, "not restored: \(error)"))
                outcome.missing.append(file.path)
            }
        }
        return outcome
    }

    /// Puts a file back; what was done, in words.
    private func put(_ file: UserKeychainFiles.Planned, at date: String) throws(Refusal) -> String {
        switch file.state {
        case .absent:
            try files.create(file)
            return "restored"
        case .equal: return "equal"
        case .different where conflicts == .keepTheirs:
            return "replaced; what was there is \(try files.replace(file, at: date))"
        case .different: return "kept as it was"
        case .refused(let why): throw Refusal(why)
        }
    }
}

extension Timestamp {
    /// The time of the wall clock.
    static var now: Timestamp { Timestamp(secondsSinceReferenceDate: Date().timeIntervalSinceReferenceDate) }
}
