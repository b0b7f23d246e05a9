// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension NSError {
    /// Creates an empty error, like `NSError()` on Apple's platforms; a plain `init()` cannot be added.
    public convenience init(_ nothing: Void = ()) {
        self.init(domain: "", code: 0)
    }
}
