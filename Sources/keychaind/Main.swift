// SPDX-License-Identifier: Apache-2.0

import KeychainProtection

@main
struct Main {
    static func main() {
        ProcessHardening.disableDumps()
    }
}
