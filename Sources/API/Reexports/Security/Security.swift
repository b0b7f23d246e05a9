// SPDX-License-Identifier: Apache-2.0

// Apple's name for what PortableSecurity declares, so that a type is the same by whichever name it is reached.
@_exported public import PortableSecurity
