// SPDX-License-Identifier: Apache-2.0

import PortableLocalAuthentication

// A context may be used from any thread, and invalidated while an evaluation runs; Apple's header does not say so.

/// A context on its way to another thread.
struct SharedContext: @unchecked Sendable {
    let value: LAContext

    init(_ value: LAContext) { self.value = value }
}
