// SPDX-License-Identifier: Apache-2.0

import HostFiles
import KeychainCore

/// The keychain of the user who runs this process.
public enum ProcessKeychain {
    /// What carries out requests on it; nothing is read or made before the first one.
    ///
    /// - Parameter authenticator: who asks the owner of the device to authenticate.
    /// - Returns: The keychain; one that answers why there is none when its place cannot be found.
    public static func backend(authenticator: any Authenticator) -> any KeychainBackend {
        do throws(FileError) {
            let location = try KeychainLocation(environment: ProcessEnvironment.path)
            return EmbeddedKeychain(at: location, device: DeviceOptions(authenticator: authenticator))
        } catch {
            return UnavailableKeychain(reason: "\(error)", cause: error)
        }
    }
}
