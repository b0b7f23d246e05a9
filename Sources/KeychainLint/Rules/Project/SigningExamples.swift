// SPDX-License-Identifier: Apache-2.0

/// How a signing keychain is set up on a CI machine, in three styles: what the rules on CI flag and accept alike.
extension [Rule.Example] {
    /// With the mistakes that each of these rules is about.
    static let carelessSigning: [Rule.Example] = [
        Rule.Example([
            ".github/workflows/ci.yml": """
            jobs:
              build:
                steps:
                  - run: |
                      security create-keychain -p secret build.keychain
                      security default-keychain -s build.keychain
                      security import cert.p12 -k build.keychain -P "$P12"
                      xcodebuild archive
                      security delete-keychain build.keychain
            """
        ]),
        Rule.Example([
            "Scripts/sign.sh": """
            set -e
            security create-keychain -p hunter2 "$KC"
            security list-keychains -s "$KC"
            security import cert.p12 -k "$KC"
            codesign -s "$ID" App.app
            security delete-keychain "$KC"
            """
        ]),
        Rule.Example([
            ".gitlab-ci.yml": """
            sign:
              script:
                - security create-keychain -p 'secret' ci.keychain
                - security default-keychain -s ci.keychain
                - security import dist.p12 -k ci.keychain -P $P12
                - xcodebuild archive
            """
        ]),
    ]

    /// With none of them.
    static let carefulSigning: [Rule.Example] = [
        Rule.Example([
            ".github/workflows/ci.yml": """
            jobs:
              build:
                steps:
                  - run: |
                      security create-keychain -p "$PW" build.keychain
                      security set-keychain-settings -lut 21600 build.keychain
                      security unlock-keychain -p "$PW" build.keychain
                      security list-keychains -d user -s build.keychain $(security list-keychains -d user | tr -d '"')
                      security import cert.p12 -k build.keychain -P "$P12" -T /usr/bin/codesign
                      security set-key-partition-list -S apple-tool:,apple: -s -k "$PW" build.keychain
                      xcodebuild archive
                  - if: always()
                    run: security delete-keychain build.keychain
            """
        ]),
        Rule.Example([
            "Scripts/sign.sh": """
            set -e
            trap 'security delete-keychain "$KC"' EXIT
            security create-keychain -p "$PW" "$KC"
            security set-keychain-settings -lut 21600 "$KC"
            security unlock-keychain -p "$PW" "$KC"
            security import cert.p12 -k "$KC"
            security set-key-partition-list -S apple-tool:,apple: -s -k "$PW" "$KC"
            codesign -s "$ID" App.app
            """
        ]),
        Rule.Example([
            ".gitlab-ci.yml": """
            sign:
              script:
                - security create-keychain -p "$PW" ci.keychain
                - security set-keychain-settings -lut 3600 ci.keychain
                - security unlock-keychain -p "$PW" ci.keychain
                - security import dist.p12 -k ci.keychain -P $P12
                - 'security set-key-partition-list -S apple-tool:,apple: -s -k "$PW" ci.keychain'
                - xcodebuild archive
              after_script:
                - security delete-keychain ci.keychain
            """
        ]),
    ]
}
