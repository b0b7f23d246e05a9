// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// An unlock that a program offers to the processes that it starts.
///
/// A child that inherits the descriptor, and its number in the environment, is unlocked when it opens the keychain:
/// until the next lock, or until the offer is withdrawn.
package struct UnlockOffer: Sendable {
    /// The environment variable that names the descriptor.
    package static let environmentVariable = Handover.environmentVariable

    /// The descriptor that a child has to inherit; by default, it is closed when a program is executed.
    package let descriptor: Int32

    private let folder: PrivateDirectory

    init(descriptor: Int32, in folder: PrivateDirectory) {
        self.descriptor = descriptor
        self.folder = folder
    }

    /// Ends the offer: a process that has not accepted it yet starts locked.
    ///
    /// Call it once.
    package func withdraw() { Handover.withdraw(descriptor, in: folder) }
}
