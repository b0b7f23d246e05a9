// SPDX-License-Identifier: Apache-2.0

/// Examples of setting up a signing keychain on a CI machine, shared by the CI rules.
extension Rule.Example {
    /// With the mistakes that these rules report.
    static let carelessSigning = Rule.Example(
        ".github/workflows/ci.yml",
        """
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
    )

    /// With none of them.
    static let carefulSigning = Rule.Example(
        ".github/workflows/ci.yml",
        """
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
    )
}
