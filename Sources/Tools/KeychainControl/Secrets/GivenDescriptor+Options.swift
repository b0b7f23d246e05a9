// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainAuthenticators

/// Checks of the options that name descriptors, before a command does anything.
extension GivenDescriptor {
    /// Refuses a descriptor that this program was not started with.
    ///
    /// - Throws: A usage error for what is no number, or ``Refusal``.
    func check(_ use: Use, of option: String, never secret: String? = nil) throws {
        do throws(Fault) { _ = try number(for: use) } catch .noNumber {
            throw ValidationError(Fault.noNumber.text(of: option, never: secret) + ".")
        } catch {
            throw Refusal(error.text(of: option))
        }
    }

    /// Its number for a command, whose option was checked.
    func checked(_ use: Use, of option: String) throws(Refusal) -> Int32 {
        do throws(Fault) { return try number(for: use) } catch { throw Refusal(error.text(of: option)) }
    }
}
