// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Glibc
import KeychainCore
import KeychainProtection
import KeychainRouting

@main
struct KeychainHelper {
    static func main() {
        ProcessHardening.disableDumps()
        // Callers wait for a helper, so the keychain itself asks nobody.
        exit(HelperProcess.run(ProcessKeychain.backend(authenticator: NoAuthenticator())))
    }
}
