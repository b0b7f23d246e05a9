// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainControl
import KeychainProtection

@main
struct Keychainctl {
    static func main() {
        ProcessHardening.disableDumps()
        KeychainControl.runProcess()
    }
}
