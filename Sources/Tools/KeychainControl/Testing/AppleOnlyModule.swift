// SPDX-License-Identifier: Apache-2.0

/// A module that only Apple's platforms have, and what to use on Linux.
///
/// BringingAnApplePackage lists them in its table "What cannot work, and what to do".
enum AppleOnlyModule: String, CaseIterable {
    case appKit = "AppKit"
    case cocoa = "Cocoa"
    case combine = "Combine"
    case compression = "Compression"
    case darwin = "Darwin"
    case machO = "MachO"
    case objectiveC = "ObjectiveC"
    case swiftUI = "SwiftUI"
    case system = "System"
    case uiKit = "UIKit"

    /// The remedy for an import of it.
    var remedy: String {
        switch self {
        case .appKit, .cocoa, .combine, .swiftUI, .uiKit: "put it into '#if canImport(\(rawValue))'"
        case .compression: "use zlib"
        case .darwin: "import Glibc there"
        case .machO: "use dl_iterate_phdr of Glibc"
        case .objectiveC: "put what needs it into '#if canImport(ObjectiveC)'"
        case .system: "use the package swift-system (SystemPackage)"
        }
    }
}
