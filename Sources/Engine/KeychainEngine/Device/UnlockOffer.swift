// SPDX-License-Identifier: Apache-2.0

import KeychainHost

/// An unlock that a program holds ready for the processes that it starts.
///
/// A child that inherits the descriptor, and its number in the environment, is unlocked when it opens the keychain:
/// until the next lock, or until the offer is withdrawn.
package struct UnlockOffer: Sendable {
    /// The environment variable that names the descriptor.
    package static let environmentVariable = Handover.environmentVariable

    /// What a child has to inherit; it is closed when a program is executed, unless something is done about it.
    package let descriptor: Int32

    private let folder: PrivateDirectory

    init(descriptor: Int32, in folder: PrivateDirectory) {
        self.descriptor = descriptor
        self.folder = folder
    }

    /// Ends the offer: who has not taken it up yet starts locked.
    ///
    /// To be called once.
    package func withdraw() { Handover.withdraw(descriptor, in: folder) }
}
