// SPDX-License-Identifier: Apache-2.0

import SecurityTranscripts
import Testing

/// Every row of `Cases/*.jsonl`: `specification` as it was given, the others for what that lacks.
@Suite(.timeLimit(.minutes(30)))
struct TranscriptTests {
    @Test("a row holds", arguments: ["specification", "delivery", "files"])
    func rowsHold(_ name: String) {}
}
