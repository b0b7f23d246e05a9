// SPDX-License-Identifier: Apache-2.0

// The product Security: the system's module on Apple platforms, elsewhere the one from the manifest.
@_exported public import Security
