// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainProtection
import KeychainRouting
import SecurityTool

@main
struct SecurityCommand {
    static func main() {
        ProcessHardening.disableDumps()
        let keychain = ProcessKeychain.backend(authenticator: ProcessAuthenticator())
        let tool = Tool(backend: keychain) { keychain.unlocksForAll }
        exit(tool.runProcess())
    }
}
