// SPDX-License-Identifier: Apache-2.0

/// The moments at which a recipe may be interrupted, for tests that interrupt it.
package enum Checkpoint {
    /// Called with the name of each moment.
    @TaskLocal package static var observer: (@Sendable (String) -> Void)?

    static func reach(_ moment: String) { observer?(moment) }
}
