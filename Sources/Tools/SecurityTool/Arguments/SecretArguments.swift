// SPDX-License-Identifier: Apache-2.0

/// Which parts of a command's words are secrets.
enum SecretArguments {
    /// The places of all secret values.
    ///
    /// Looks beyond the first operand and beyond wrong options, too: a password in the wrong place is still one.
    ///
    /// - Parameters:
    ///   - words: the words of the command.
    ///   - start: the first word after the command's name.
    ///   - syntax: the options of the command.
    /// - Returns: Where the values begin.
    static func places(in words: [Word], from start: Int, _ syntax: OptionSyntax) -> [GetOpt.Place] {
        var places: [GetOpt.Place] = []
        var start = start
        while start < words.count {
            var reader = GetOpt(words, from: start, syntax)
            while let event = reader.next() {
                if case .option(let letter, let place?) = event, syntax.isSecret(letter) { places.append(place) }
            }
            // Behind two dashes there may be more; an operand is passed over.
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
