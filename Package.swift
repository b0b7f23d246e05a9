// swift-tools-version: 6.2
import PackageDescription

#if os(Linux)
var products: [Product] = [
    .library(name: "Security", targets: ["Security"]),
    .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
    .library(name: "CryptoKit", targets: ["CryptoKit"]),
    // The same under names that no other package asks for; see Documentation/Architecture.md, "Three ways in".
    .library(name: "PortableSecurity", targets: ["PortableSecurity"]),
    .library(name: "PortableLocalAuthentication", targets: ["PortableLocalAuthentication"]),
    // A typed API on top, and what programs do with it again and again.
    .library(name: "Keychain", targets: ["Keychain"]),
    .library(name: "KeychainRecipes", targets: ["KeychainRecipes"]),
    // A device in a test.
    .library(name: "KeychainTesting", targets: ["KeychainTesting"]),
    // The same for programs, which link no testing library.
    .library(name: "KeychainSimulation", targets: ["KeychainSimulation"]),
    // With the values that requests are made of, and where a keychain lies.
    .library(name: "KeychainEngine", targets: ["KeychainEngine", "KeychainCore", "HostFiles"]),
    .executable(name: "security", targets: ["security-tool"]),
    .executable(name: "keychainctl", targets: ["keychainctl"]),
    .executable(name: "conformance", targets: ["conformance-runner"]),
    .executable(name: "keychain-quickstart", targets: ["keychain-quickstart"]),
    // Misuse of the keychain found in source code; works with the trait Lint.
    .library(name: "KeychainLint", targets: ["KeychainLint", "KeychainLintParsing"]),
    .executable(name: "keychain-lint", targets: ["keychain-lint"]),
    .plugin(name: "KeychainLintCommand", targets: ["KeychainLintCommand"]),
    .plugin(name: "KeychainLintBuild", targets: ["KeychainLintBuild"]),
]

let dependencies: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // Only with the trait Lint, else neither fetched nor built.
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
]

let traits: Set<Trait> = [
    .trait(name: "Lint", description: "The linter for keychain code, keychain-lint; brings swift-syntax.")
]

let lint: TargetDependencyCondition? = .when(traits: ["Lint"])

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

// What is not said to be public in Apple's API must not be needed to use it.
let appleAPI: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]

let targets: [Target] = [
    // C
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CKeychainSupport"),
    .target(name: "CStormSupport", path: "Tests/Support/CStormSupport"),

    // values
    .target(name: "KeychainCore", dependencies: ["CKeychainSupport"]),

    // parts
    .target(name: "HostFiles", dependencies: ["CKeychainSupport"]),
    .target(name: "KeychainKeys", dependencies: ["KeychainCore", crypto, cryptoExtras]),
    .target(name: "KeychainCertificates", dependencies: ["KeychainCore", asn1, crypto]),
    .target(name: "KeychainContainers", dependencies: ["KeychainCore", asn1, crypto, cryptoExtras]),
    .target(
        name: "KeychainProtection",
        dependencies: ["KeychainCore", "HostFiles", "CKeychainSupport", crypto, cryptoExtras]
    ),
    .target(name: "KeychainStore", dependencies: ["KeychainCore", "HostFiles", "CKeychainSupport", "CSQLite"]),

    // engine
    .target(
        name: "KeychainEngine",
        dependencies: [
            "KeychainCore", "HostFiles", "KeychainCertificates", "KeychainProtection", "KeychainStore",
            "CKeychainSupport", asn1,
        ]
    ),

    // who asks the person
    .target(name: "KeychainAuthenticators", dependencies: ["KeychainCore", "HostFiles", "CKeychainSupport"]),

    // Apple's API
    .target(
        name: "KeychainServices",
        dependencies: [
            "KeychainCore", "KeychainKeys", "KeychainCertificates", "KeychainContainers", "KeychainEngine",
            "HostFiles", "KeychainAuthenticators", logging,
        ],
        swiftSettings: appleAPI
    ),
    .target(
        name: "PortableSecurity",
        dependencies: ["KeychainServices"],
        path: "Sources/Reexports/PortableSecurity",
        swiftSettings: appleAPI
    ),
    .target(
        name: "Security",
        dependencies: ["PortableSecurity"],
        path: "Sources/Reexports/Security",
        swiftSettings: appleAPI
    ),
    .target(
        name: "PortableLocalAuthentication",
        dependencies: ["PortableSecurity", "KeychainServices", "KeychainCore"],
        swiftSettings: appleAPI
    ),
    .target(
        name: "LocalAuthentication",
        dependencies: ["PortableLocalAuthentication", "Security"],
        path: "Sources/Reexports/LocalAuthentication",
        swiftSettings: appleAPI
    ),
    .target(
        name: "CryptoKit",
        dependencies: ["KeychainServices", "PortableLocalAuthentication", crypto],
        swiftSettings: appleAPI
    ),

    // a typed API
    .target(
        name: "Keychain",
        dependencies: [
            "KeychainServices", "PortableSecurity", "PortableLocalAuthentication", "KeychainCore", "KeychainEngine",
            "KeychainAuthenticators", "KeychainProtection", "KeychainStore",
            crypto,
        ],
        swiftSettings: appleAPI
    ),
    .target(
        name: "KeychainRecipes",
        dependencies: ["Keychain", "CryptoKit", "PortableSecurity", "PortableLocalAuthentication"],
        swiftSettings: appleAPI
    ),

    // a device in a test
    .target(
        name: "KeychainSimulation",
        dependencies: [
            "KeychainCore", "KeychainEngine", "HostFiles", "KeychainAuthenticators", "KeychainProtection",
            "KeychainStore", "KeychainServices",
        ],
        swiftSettings: appleAPI
    ),
    .target(
        name: "KeychainTesting",
        dependencies: [
            "KeychainSimulation", "KeychainCore", "KeychainServices", "PortableSecurity", "PortableLocalAuthentication",
            "CKeychainSupport",
        ],
        swiftSettings: appleAPI
    ),

    // tools: what the executables of the same purpose do
    .target(
        name: "SecurityTool",
        dependencies: [
            "KeychainCore", "KeychainEngine", "HostFiles", "KeychainAuthenticators", "CKeychainSupport",
        ]
    ),
    .target(
        name: "KeychainControl",
        dependencies: [
            "KeychainCore", "KeychainEngine", "HostFiles", "KeychainAuthenticators", "CKeychainSupport", arguments,
        ]
    ),

    // the linter: rules over a syntax tree of its own, and the parsers that make it
    .target(name: "KeychainLint", dependencies: ["KeychainCore"]),
    .target(
        name: "KeychainLintParsing",
        dependencies: [
            "KeychainLint",
            .product(name: "SwiftSyntax", package: "swift-syntax", condition: lint),
            .product(name: "SwiftParser", package: "swift-syntax", condition: lint),
            .product(name: "SwiftOperators", package: "swift-syntax", condition: lint),
            .product(name: "Yams", package: "Yams", condition: lint),
        ]
    ),

    // `swift package keychain-lint`, and a lint at every build
    .plugin(
        name: "KeychainLintCommand",
        capability: .command(
            intent: .custom(verb: "keychain-lint", description: "Finds misuse of the keychain in source code.")
        ),
        dependencies: ["keychain-lint"]
    ),
    .plugin(name: "KeychainLintBuild", capability: .buildTool(), dependencies: ["keychain-lint"]),

    // executables
    .executableTarget(name: "keychain-lint", dependencies: ["KeychainLint", "KeychainLintParsing", arguments]),
    .executableTarget(
        name: "security-tool",
        dependencies: [
            "SecurityTool", "KeychainCore", "KeychainEngine", "KeychainProtection", "KeychainAuthenticators",
        ]
    ),
    .executableTarget(name: "keychainctl", dependencies: ["KeychainControl", "KeychainProtection", arguments]),
    .executableTarget(name: "keychain-quickstart", dependencies: ["Security", "KeychainProtection"]),
    .executableTarget(
        name: "conformance-runner",
        dependencies: ["Conformance", "KeychainProtection"],
        path: "Tests/Support/conformance-runner"
    ),
    .executableTarget(name: "generate-constants", dependencies: ["SourceGeneration"]),
    .executableTarget(
        name: "keychain-storm",
        dependencies: [
            "KeychainEngine", "KeychainCore", "HostFiles", "KeychainProtection", "KeychainStore",
            "CKeychainSupport", "CStormSupport", "CSQLite",
        ],
        path: "Tests/Support/keychain-storm"
    ),
    .executableTarget(
        name: "keychain-stray",
        dependencies: ["KeychainSimulation", "Security"],
        path: "Tests/Support/keychain-stray"
    ),

    // what the tests and the executables share
    .target(
        name: "KeychainTestSupport",
        dependencies: ["KeychainCore", "KeychainEngine", "HostFiles", "KeychainStore", "CSQLite"],
        path: "Tests/Support/KeychainTestSupport"
    ),
    .target(
        name: "Conformance",
        dependencies: [
            "Security", "LocalAuthentication", "KeychainCore", "KeychainEngine", "KeychainAuthenticators",
            "KeychainSimulation",
        ],
        path: "Tests/Support/Conformance"
    ),
    .target(name: "SourceGeneration", dependencies: ["KeychainCore"]),

    // tests
    .testTarget(
        name: "KeychainCoreTests",
        dependencies: ["KeychainCore", "KeychainTestSupport", "SourceGeneration", "CSQLite"]
    ),
    .testTarget(
        name: "KeychainKeysTests",
        dependencies: ["KeychainKeys", "KeychainCore", "KeychainTestSupport", crypto]
    ),
    .testTarget(
        name: "KeychainCertificatesTests",
        dependencies: ["KeychainCertificates", "KeychainCore", "KeychainTestSupport", asn1]
    ),
    .testTarget(
        name: "KeychainContainersTests",
        dependencies: ["KeychainContainers", "KeychainCore", "KeychainTestSupport", asn1]
    ),
    .testTarget(
        name: "CryptoKitTests",
        dependencies: [
            "CryptoKit", "Security", "LocalAuthentication", "KeychainServices", "KeychainCore", "KeychainEngine",
            "KeychainAuthenticators", "KeychainSimulation", "KeychainTestSupport",
        ]
    ),
    .testTarget(
        name: "KeychainProtectionTests",
        dependencies: [
            "KeychainProtection", "KeychainCore", "HostFiles", "KeychainTestSupport", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainStoreTests",
        dependencies: ["KeychainStore", "KeychainCore", "HostFiles", "KeychainTestSupport", "CSQLite"]
    ),
    .testTarget(
        name: "KeychainEngineTests",
        dependencies: [
            "KeychainEngine", "KeychainCore", "HostFiles", "KeychainProtection", "KeychainStore",
            "KeychainAuthenticators", "KeychainSimulation", "KeychainTestSupport", "CSQLite", crypto,
        ],
        exclude: [
            "Released/unreleased-1", "Released/unreleased-2", "Released/format-2", "Released/format-2-passcode",
            "Released/enclave-2", "Format/reader.py",
        ]
    ),
    .testTarget(
        name: "SecurityTests",
        dependencies: [
            "Security", "KeychainServices", "KeychainCore", "KeychainEngine", "HostFiles", "KeychainAuthenticators",
            "KeychainSimulation", "KeychainTestSupport", "keychain-quickstart", "keychain-stray",
        ]
    ),
    .testTarget(
        name: "KeychainAuthenticatorsTests",
        dependencies: ["KeychainAuthenticators", "KeychainCore", "KeychainTestSupport"]
    ),
    .testTarget(
        name: "LocalAuthenticationTests",
        dependencies: [
            "LocalAuthentication", "PortableLocalAuthentication", "KeychainServices", "KeychainCore", "KeychainEngine",
            "KeychainAuthenticators", "KeychainTestSupport",
        ]
    ),
    .testTarget(
        name: "SecurityToolTests",
        dependencies: [
            "SecurityTool", "security-tool", "Security", "KeychainServices", "KeychainCore", "KeychainEngine",
            "HostFiles", "KeychainProtection", "KeychainTestSupport",
        ],
        exclude: ["Cases"]
    ),
    .testTarget(
        name: "KeychainControlTests",
        dependencies: [
            "KeychainControl", "keychainctl", "security-tool", "KeychainCore", "KeychainEngine", "HostFiles",
            "KeychainAuthenticators", "KeychainTestSupport", "CStormSupport", arguments,
        ]
    ),
    .testTarget(
        name: "KeychainProcessTests",
        dependencies: [
            "keychain-storm", "KeychainEngine", "KeychainCore", "HostFiles", "KeychainProtection",
            "KeychainStore", "KeychainTestSupport", "CKeychainSupport", "CStormSupport", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainTests",
        dependencies: [
            "Keychain", "KeychainTesting", "KeychainSimulation", "KeychainServices", "KeychainCore", "KeychainEngine",
            "HostFiles", "KeychainAuthenticators", "KeychainTestSupport", "Security", "LocalAuthentication", crypto,
        ]
    ),
    .testTarget(
        name: "KeychainRecipesTests",
        dependencies: [
            "KeychainRecipes", "Keychain", "KeychainTesting", "KeychainServices", "KeychainCore", "KeychainEngine",
            "HostFiles", "CryptoKit", "Security", "LocalAuthentication",
        ]
    ),
    .testTarget(
        name: "KeychainSimulationTests",
        dependencies: ["KeychainSimulation", "KeychainServices", "KeychainCore", "KeychainEngine", "Security"]
    ),
    .testTarget(
        name: "KeychainTestingTests",
        dependencies: [
            "KeychainTesting", "KeychainSimulation", "KeychainServices", "KeychainCore", "Security",
            "LocalAuthentication", "CStormSupport",
        ]
    ),
    .testTarget(name: "ConformanceTests", dependencies: ["Conformance"], exclude: ["Cases"]),
    .testTarget(
        name: "FieldCodeSwift5Tests",
        dependencies: ["Security", "KeychainTesting"],
        swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(name: "FieldCodeSwift6Tests", dependencies: ["Security", "KeychainTesting"]),
]
#else
// On Apple platforms these modules are the system's: the products of their names only pass them on, under other module
// names, so that a manifest can name the products for every platform.
var products: [Product] = [
    .library(name: "Security", targets: ["SystemSecurity"]),
    .library(name: "LocalAuthentication", targets: ["SystemLocalAuthentication"]),
    .library(name: "CryptoKit", targets: ["SystemCryptoKit"]),
    .library(name: "Keychain", targets: ["Keychain"]),
    .library(name: "KeychainRecipes", targets: ["KeychainRecipes"]),
    .library(name: "KeychainTesting", targets: ["SystemKeychainTesting"]),
]
let dependencies: [Package.Dependency] = []
let traits: Set<Trait> = []
let targets: [Target] = [
    .target(name: "SystemSecurity", path: "Sources/Reexports/SystemSecurity"),
    .target(name: "SystemLocalAuthentication", path: "Sources/Reexports/SystemLocalAuthentication"),
    .target(name: "SystemCryptoKit", path: "Sources/Reexports/SystemCryptoKit"),
    // Stand on the system's own keychain.
    .target(name: "Keychain"), .target(name: "KeychainRecipes", dependencies: ["Keychain"]),
    // Has nothing: the system's keychain cannot be taken away from a test.
    .target(name: "SystemKeychainTesting", path: "Sources/Reexports/SystemKeychainTesting"),
]
#endif

// The libraries that Scripts/install puts under a prefix. They hide what lies beneath Apple's API, so that a program may
// bring its own swift-log or swift-crypto; resilient modules can be imported without the modules that they are built on.
// Kept out of the ordinary manifest, because a target with such flags cannot be depended on by version.
if Context.environment["SWIFT_KEYCHAIN_INSTALLATION"] != nil {
    let apple = [
        "KeychainServices", "PortableSecurity", "Security", "PortableLocalAuthentication", "LocalAuthentication",
    ]
    products.append(.library(name: "SwiftKeychain", type: .dynamic, targets: apple))
    for target in targets where apple.contains(target.name) {
        let map = "\(Context.packageDirectory)/Scripts/Installation/Security-symbols.map"
        target.linkerSettings = [.unsafeFlags(["-Xlinker", "--version-script=\(map)"])]
        target.swiftSettings?.append(.unsafeFlags(["-enable-library-evolution"]))
    }
}

let package = Package(
    name: "swift-keychain",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: products,
    traits: traits,
    dependencies: dependencies,
    targets: targets,
    swiftLanguageModes: [.v6]
)

for target in package.targets
where target.type != .system && target.type != .plugin && !["CKeychainSupport", "CStormSupport"].contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}
