// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The descriptors of Dispatch, which ends the process if it cannot make them when it first waits for an event.
package enum DispatchDescriptors {
    /// Has Dispatch make them now, while there are some left.
    package static func make() {
        let isMade = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { isMade.signal() }
        isMade.wait()
    }
}
