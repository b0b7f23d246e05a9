// SPDX-License-Identifier: Apache-2.0

/// Finds the secrets among a command's words.
enum SecretArguments {
    /// The places of all secret values.
    ///
    /// Also searches beyond the first operand and beyond invalid options: a password in the wrong place is still a
    /// secret.
    ///
    /// - Parameters:
    ///   - words: the words of the command.
    ///   - start: the first word after the command's name.
    ///   - syntax: the options of the command.
    /// - Returns: The places where the values begin.
    static func places(in words: [Word], from start: Int, _ syntax: OptionSyntax) -> [GetOpt.Place] {
        var places: [GetOpt.Place] = []
        var start = start
        while start < words.count {
            var reader = GetOpt(words, from: start, syntax)
            while let event = reader.next() {
                if case .option(let letter, let place?) = event, syntax.isSecret(letter) { places.append(place) }
            }
            // There may be more after two dashes; an operand is skipped.
            start = max(reader.index, start + 1)
        }
        return places
    }

    /// The words of a command with `***` in place of every secret.
    static func masked(_ words: [Word], _ syntax: OptionSyntax) -> [ByteText] {
        var texts: [ByteText] = words.map { "\($0)" }
        for place in places(in: words, from: 0, syntax) {
            texts[place.word] = "\(words[place.word].prefix(place.offset))***"
        }
        return texts
    }
}
