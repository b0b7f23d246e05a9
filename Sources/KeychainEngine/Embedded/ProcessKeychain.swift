// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore

/// The keychain of the user who runs this process.
public enum ProcessKeychain {
    /// What carries out commands on it; nothing is read or made before the first one.
    ///
    /// - Parameter authenticator: the user prompts.
    /// - Returns: The keychain; a backend that fails with the reason when its place cannot be found.
    public static func backend(authenticator: any Authenticator) -> any KeychainBackend {
        do { return try embedded(authenticator: authenticator) } catch { return UnavailableKeychain(error) }
    }

    /// The same as its own type, for what only an embedded keychain can do.
    ///
    /// - Throws: ``KeychainError`` when its place cannot be found.
    public static func embedded(authenticator: any Authenticator) throws(KeychainError) -> EmbeddedKeychain {
        let location: KeychainLocation
        do { location = try KeychainLocation(environment: ProcessEnvironment.path) } catch {
            throw KeychainError(error)
        }
        return EmbeddedKeychain(at: location, device: DeviceOptions(authenticator: authenticator))
    }
}
