// SPDX-License-Identifier: Apache-2.0

extension Rule {
    static let faceIdUsageDescriptionMissing = Rule(
        "face-id-usage-description-missing",
        severity: .error,
        confidence: .high,
        family: .project,
        in: .all,
        title: "Face ID is used without saying what for",
        reason: """
            Without NSFaceIDUsageDescription in the Info.plist the request fails on devices with Face ID, or the \
            system ends the app.
            """,
        remedy: """
            Add NSFaceIDUsageDescription to the Info.plist, or INFOPLIST_KEY_NSFaceIDUsageDescription to the \
            build settings.
            """,
        flagged: Example([
            "App/Info.plist": """
            <plist version="1.0">
            <dict>
                <key>CFBundlePackageType</key>
                <string>APPL</string>
            </dict>
            </plist>
            """,
            "App/Gate.swift": """
            import LocalAuthentication
            import UIKit
            func ask(_ c: LAContext) {
                c.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "x") { _, _ in }
            }
            """,
        ]),
        accepted: Example([
            "App/Info.plist": """
            <plist version="1.0">
            <dict>
                <key>CFBundlePackageType</key>
                <string>APPL</string>
                <key>NSFaceIDUsageDescription</key>
                <string>Unlocks your vault</string>
            </dict>
            </plist>
            """,
            "App/Gate.swift": """
            import LocalAuthentication
            import UIKit
            func ask(_ c: LAContext) {
                c.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "x") { _, _ in }
            }
            """,
        ]),
        check: .project { project, report in
            // Only if there is an app whose Info.plist is known.
            let isApp = project.files.contains { file in
                (file.path.hasSuffix("Info.plist") && file.text.contains(">APPL<"))
                    || (file.path.hasSuffix(".pbxproj") && file.text.contains("com.apple.product-type.application"))
            }
            let key = "NSFaceIDUsageDescription"
            guard isApp, !project.files.contains(where: { $0.text.contains(key) }) else { return }
            for module in project.modules {
                for (number, file) in module.module.files.enumerated() {
                    if !ByteSearch.occurrences(of: Array(key.utf8), in: file.text).isEmpty { return }
                    guard !file.isTest, file.imports.contains("UIKit") || file.imports.contains("SwiftUI"),
                        !isInFramework(file.path, project)
                    else { continue }
                    for expression in SyntaxWalk.expressions(file.tree.statements) {
                        guard case .call(let callee, let arguments) = expression.kind else { continue }
                        let asks = callee.lastName == "evaluatePolicy" && file.imports.contains("LocalAuthentication")
                        let text =
                            callee.lastName == "SecAccessControlCreateWithFlags" && arguments.count > 2
                            ? file.text(arguments[2].value.range) : ""
                        guard asks || text.contains("biometry") || text.contains("userPresence") else { continue }
                        report.add(
                            Place(file: number, range: expression.range),
                            in: module.module,
                            "the app has no NSFaceIDUsageDescription",
                            context: file.path
                        )
                    }
                }
            }
        }
    )
}

/// Whether the nearest Info.plist above a file is a framework's: the apps that use it show the prompt.
private func isInFramework(_ path: String, _ project: Project) -> Bool {
    var folder = path[...]
    while let slash = folder.lastIndex(of: "/") {
        folder = folder[..<slash]
        if let list = project.files.first(where: { $0.path == folder + "/Info.plist" }) {
            return list.text.contains(">FMWK<")
        }
    }
    return false
}
