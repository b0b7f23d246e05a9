// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import FoundationEssentials
import Glibc
import KeychainCore
import KeychainDoctor
import KeychainTrace

/// `keychainctl doctor`: explains why a call failed.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says why a keychain call failed, which item was meant, and what to change.",
        discussion: CommandDiscussion.text(
            """
            The query is a file, a text, or - for standard input: JSON, a property list, a line of a trace, or a dictionary literal \
            pasted from Swift code. The keychain is read, never changed; nobody is asked, and no secret is opened.

            Exit status: 0 explained, or nothing is wrong; 1 not explained; 2 bad input; 3 the call answers differently now; 4 \
            the keychain cannot be read.
            """,
            examples: [
                "keychainctl doctor query.txt --status -25300":
                    "Explains why a query, pasted from Swift code, found nothing.",
                "keychainctl doctor --last": "Explains the last failed call of the trace of a program.",
            ]
        )
    )

    @Argument(help: "The query.", completion: .file())
    var query: String?

    @Option(help: "The function: add, copy, update or delete.")
    var call = Call.copy

    @Option(help: "The new attributes of an update, as the query is given.")
    var attributes: String?

    @Option(parsing: .unconditional, help: "The status that the call answered, by its number or its name.")
    var status: String?

    @Option(
        help: "The client: a file with its entitlements, or with a JSON list of its access groups.",
        completion: .file()
    )
    var client: String?

    @Option(help: "Its entitlements before the last update.", completion: .file())
    var previousEntitlements: String?

    @Option(help: "Those of another program that is to share the item.", completion: .file())
    var otherEntitlements: String?

    @Option(help: "What the program runs on: ios, macos, catalyst or simulator.")
    var platform = ExaminedCall.Platform.iOS

    @Option(help: "What the result is taken for: data, dictionary, array, key, certificate or identity.")
    var usedAs: ResultType?

    @Option(
        help: "The folder of the keychain; default: that of the environment.",
        completion: .directory
    )
    var store: String?

    @Option(
        help: "The state of the device at the call: unlocked, locked or before-first-unlock. Default: as it is now."
    )
    var lockState: LockStateOption?

    @Option(
        name: .customLong("as-of"),
        help: "When the call was made (ISO 8601), for dates that it compares, and for what of a history came before it."
    )
    var time: TimeOption?

    @Option(help: "A trace of what came before the call.", completion: .file())
    var history: String?

    @Flag(help: "The call was made in the background.")
    var background = false

    @Flag(help: "The call was made on a machine for continuous integration.")
    var ci = false

    @Option(help: "A trace: its failed calls are explained, with what came before.", completion: .file())
    var trace: String?

    @Flag(help: "Explain the last failed call of the trace, or of the one that SWIFT_KEYCHAIN_TRACE names.")
    var last = false

    @Flag(help: "Write JSON.")
    var json = false

    @Flag(help: "Show hashes in the place of values.")
    var redact = false

    @Option(help: "Write a page of HTML to a new file as well.", completion: .file())
    var html: String?

    /// The four functions.
    enum Call: String, ExpressibleByArgument {
        case add
        case copy
        case update
        case delete
    }

    mutating func validate() throws {
        if query == nil, trace == nil, !last, history != nil {
            throw ValidationError("--history is what came before a call: give the call as well.")
        }
    }

    func run() throws {
        var surroundings = Surroundings.current
        do {
            if let store { surroundings.keychain = try StoreFolder.keychain(store) }
            let calls = try ExaminedCalls(self, surroundings).calls
            let output = DoctorOutput(surroundings: surroundings, command: self)
            let exitStatus = try output.write(calls)
            // A report that was not written completely is an error.
            guard fflush(nil) == 0 else {
                surroundings.remark("Error: the report cannot be written")
                // EX_IOERR of sysexits.h.
                throw ExitCode(74)
            }
            if exitStatus != 0 { throw ExitCode(exitStatus) }
        } catch let error as BadInput {
            surroundings.remark(DoctorReport.printable("Error: \(error)"))
            throw ExitCode.usage
        } catch let error as KeychainError {
            surroundings.remark("Error: the keychain cannot be read: \(error.reason)")
            throw ExitCode(4)
        }
    }
}

/// A state of the device, as written on a command line.
struct LockStateOption: ExpressibleByArgument {
    let state: LockState

    init?(argument: String) {
        guard let state = LockState(rawValue: argument.replacing("-", with: " ")) else { return nil }
        self.state = state
    }

    static var allValueStrings: [String] { LockState.allCases.map { $0.rawValue.replacing(" ", with: "-") } }
}

/// A time in ISO 8601.
struct TimeOption: ExpressibleByArgument {
    let time: Timestamp

    init?(argument: String) {
        guard let date = CaseNotation.date(from: argument) else { return nil }
        time = Timestamp(secondsSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    }
}

extension ExaminedCall.Platform: ExpressibleByArgument {}
extension ResultType: ExpressibleByArgument {}
