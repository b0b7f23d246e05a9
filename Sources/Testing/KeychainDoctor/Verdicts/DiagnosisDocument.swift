// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// `Documentation/Diagnosis.md`, generated from the doctor's tables.
package enum DiagnosisDocument {
    /// The whole file.
    package static var text: String {
        ([introduction] + ["## Status by status"] + statuses + ["## Verdicts"] + verdicts + [limits])
            .joined(separator: "\n\n") + "\n"
    }

    private static let introduction = """
        # Diagnosis

        <!-- Made of the tables of KeychainDoctor by `swift run doctor-scenarios --document`; a test says when it is stale. -->

        What the statuses of the item functions mean, and what `keychainctl doctor` says of a call. A report begins with the tree of \
        the status, goes through its steps from top to bottom, and names the first that holds; what else holds is `also`. Its JSON \
        has the schema [doctor-report-1](doctor-report-1.schema.json).

        ```sh
        keychainctl doctor query.json                      # JSON, a property list, or a dictionary pasted from Swift code
        keychainctl doctor --call delete --client App.entitlements - < query.txt
        keychainctl doctor --last                          # the last failed call of the trace, see Trace.md
        keychainctl doctor --trace calls.jsonl             # every failed call, and a summary by cause
        keychainctl doctor --store FOLDER query.json       # another keychain than that of the environment
        keychainctl doctor --lock-state locked query.json  # as the call was made: locked, or before-first-unlock
        keychainctl doctor --history calls.jsonl --as-of 2026-11-22T19:30:00Z query.json
        ```

        The keychain is explained as it is now, whatever `--as-of` says: the time is for conditions on dates, and ends the history. A \
        locked keychain cannot be explained as an unlocked one, because its keys are locked. A recorded call is explained in the lock \
        state that was recorded, where that is possible. In a test of the kit the failing expectation says the same by itself.
        """

    private static var statuses: [String] {
        StatusMeaning.all.map { meaning in
            let apple = meaning.onApplePlatforms.isEmpty ? "The same." : meaning.onApplePlatforms
            return """
                ### \(meaning.status) (\(meaning.status.rawValue))

                \(meaning.here)

                On Apple's platforms: \(apple)

                Begins with: \(meaning.trees).
                """
        }
    }

    private static var verdicts: [String] {
        var sections: [String] = []
        for row in VerdictTable.all {
            var text = "### `\(row.id.rawValue)`\n\n*\(row.place)*: \(row.headline).\n\n\(row.meaning)"
            if let advice = row.advice.first { text += "\n\nWhat to do: \(advice.text)" }
            for warning in row.warnings { text += "\n\nNot: \(warning)" }
            for question in row.questions { text += "\n\nAsk: \(question.text)" }
            sections.append(text)
        }
        return sections
    }

    private static let limits = """
        ## What the doctor cannot know

        * What was meant: where two items are equally near, it asks.
        * The entitlements of the program that ran: it believes the list that it is given, and says when the status contradicts it.
        * The state of another device, and the lock state at the time of an earlier call.
        * Whether a wrapper changed the dictionary: give it what reached `SecItem…`, for example from a trace.
        * What happened before the history begins; without one, nothing that happened before the call.
        * Whether the secret of an item is damaged: it would have to be opened. A copy that asks for it may fail with errSecDecode \
        (-26275) where nothing is wrong with the call.
        * What stood in the place of a value that a text or a trace does not tell: the value is left out, and the report says so.
        * Of a trace, more than the last thousand events before a call.
        * Of an item whose keys are locked: its values, and its access control.
        """
}
