// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import KeychainProtection
import SecurityTool

@main
struct Main {
    static func main() {
        ProcessHardening.disableDumps()
        exit(Tool(backend: ProcessKeychain.backend(authenticator: ProcessAuthenticator())).runProcess())
    }
}
