// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Rejects an argument where none is expected, without repeating it: it may be a passcode.
struct MisplacedSecret: ParsableArguments {
    @Argument(help: .hidden)
    var argument: String?

    func validate() throws {
        guard argument == nil else {
            throw ValidationError(
                "Unexpected argument. Secrets are never arguments, because other programs can see those."
            )
        }
    }
}
