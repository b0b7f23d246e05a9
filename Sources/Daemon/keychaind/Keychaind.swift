// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainDaemon
import KeychainProtection

@main
struct Keychaind {
    static func main() {
        ProcessHardening.disableDumps()
        exit(KeychainDaemon.run(Array(CommandLine.arguments.dropFirst())))
    }
}
