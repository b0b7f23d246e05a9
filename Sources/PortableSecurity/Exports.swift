// SPDX-License-Identifier: Apache-2.0

// As on Apple's platforms, whoever imports Security sees Foundation.
@_exported public import Foundation
