// SPDX-License-Identifier: Apache-2.0

import Foundation
public import PortableLocalAuthentication
import PortableSecurity

// The context is a class that Apple's headers do not mark as Sendable; its members may be called from every thread.

/// Whether and how the user may be prompted, if an item requires authentication.
public struct Authentication: @unchecked Sendable {
    let way: Way

    enum Way {
        case allowed(String?)
        case context(LAContext)
        case forbidden
        case skipping
    }

    /// The user may be prompted, with a reason to show; `nil` for the system's text.
    public static func allowed(_ reason: String? = nil) -> Authentication { Authentication(way: .allowed(reason)) }

    /// The user may be prompted.
    public static var allowed: Authentication { .allowed(nil) }

    /// The user is prompted in a context; earlier authentication in it counts.
    ///
    /// When the task of an asynchronous call is cancelled, the context is invalidated.
    public static func context(_ context: LAContext) -> Authentication { Authentication(way: .context(context)) }

    /// Never prompts: a call that would have to prompt fails.
    public static let forbidden = Authentication(way: .forbidden)

    /// Never prompts: items that require authentication are omitted from a listing.
    ///
    /// For listings; other calls fail with `errSecParam`.
    public static let skippingGuarded = Authentication(way: .skipping)

    /// Whether it never prompts.
    package var isForbidden: Bool {
        switch way {
        case .allowed, .context: false
        case .forbidden, .skipping: true
        }
    }
}
