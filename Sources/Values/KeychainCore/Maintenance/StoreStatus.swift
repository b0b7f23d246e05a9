// SPDX-License-Identifier: Apache-2.0

/// The versions of a store and of the program that has it, and the features of the store that have a later revision
/// than the first of the format.
package struct StoreStatus: Sendable, Hashable {
    /// The version of the file; `nil` if there is no store.
    package var file: FileVersion?
    /// The latest version that the program knows which has the store.
    package var program: UInt16
    /// The features that the store uses, ordered by name.
    package var features: [UsedFeature]

    /// The status of a store.
    package init(
        file: FileVersion? = nil,
        program: UInt16 = FileFormat.version,
        features: [UsedFeature] = []
    ) {
        self.file = file
        self.program = program
        self.features = features
    }
}

/// A feature that a store uses, and the programs that it excludes.
package struct UsedFeature: Sendable, Hashable {
    /// The name that the file records.
    package var name: String
    /// What it is, in words; `nil` for a feature of a later program.
    package var title: String?
    /// The revision that has it first, and those whose programs may read and change a store that uses it.
    package var version: FileVersion
    /// How it ends.
    package var removal: Removal

    /// How a store stops using a feature.
    package enum Removal: Sendable, Hashable {
        /// It can be left out at any time: nothing is lost but speed.
        case automatic
        /// A command ends it, which the user decides on, because something is lost.
        case command(String)
        /// This program does not know the feature.
        case unknown
    }

    /// A feature in use.
    package init(name: String, title: String?, version: FileVersion, removal: Removal) {
        self.name = name
        self.title = title
        self.version = version
        self.removal = removal
    }
}

/// The outcome of bringing a store to an earlier revision of its format.
package struct StoreDowngrade: Sendable, Hashable {
    /// The version that the store had.
    package var former: FileVersion
    /// The version that it has now: the former one if there are obstacles.
    package var version: FileVersion
    /// The features that were left out.
    package var removed: [UsedFeature]
    /// The features in use that do not exist in the revision, and that only the user can end; nothing was changed if
    /// there are any.
    package var obstacles: [UsedFeature]

    /// An outcome.
    package init(
        former: FileVersion,
        version: FileVersion,
        removed: [UsedFeature] = [],
        obstacles: [UsedFeature] = []
    ) {
        self.former = former
        self.version = version
        self.removed = removed
        self.obstacles = obstacles
    }
}

/// A store got another version, because it began or ceased to use a feature.
package struct StoreVersionChange: Sendable, Hashable {
    /// The version before.
    package var former: FileVersion
    /// The version now.
    package var version: FileVersion

    /// A change of the version.
    package init(from former: FileVersion, to version: FileVersion) {
        self.former = former
        self.version = version
    }

    /// Whether it excludes programs that could use the store before.
    package var excludesPrograms: Bool {
        version.readerRevision > former.readerRevision || version.writerRevision > former.writerRevision
    }

    /// One sentence, without a period: what changed, and for which programs.
    package var text: String {
        let versions = "the keychain's store has format \(version) now; before, \(former.text)"
        return excludesPrograms
            ? versions + "; for earlier programs, 'keychainctl store status' says which feature it is" : versions
    }
}
