// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainControl
import KeychainProtection

@main
struct Main {
    static func main() {
        ProcessHardening.disableDumps()
        KeychainControl.runProcess()
    }
}
