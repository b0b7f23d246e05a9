// SPDX-License-Identifier: Apache-2.0
#if Lint
import KeychainLint
import SwiftSyntax

extension TreeConverter {
    /// The declarations of a node: several for an `#if` in an enumeration, none for declarations that no rule uses.
    mutating func declaration(_ node: DeclSyntax) -> [Statement] {
        let place = range(node)
        switch node.as(DeclSyntaxEnum.self) {
        case .variableDecl(let variable):
            return [Statement(.variable(self.variable(variable)), place)]
        case .functionDecl(let function):
            return [
                self.function(
                    name(function.name),
                    signature: function.signature,
                    result: function.signature.returnClause.map { text($0.type) },
                    modifiers: names(function.modifiers),
                    attributes: function.attributes,
                    body: function.body,
                    at: place,
                    nameRange: range(function.name)
                )
            ]
        case .initializerDecl(let function):
            return [
                self.function(
                    "init",
                    signature: function.signature,
                    result: nil,
                    modifiers: names(function.modifiers) + (function.optionalMark == nil ? [] : ["failable"]),
                    attributes: function.attributes,
                    body: function.body,
                    at: place,
                    nameRange: range(function.initKeyword)
                )
            ]
        case .deinitializerDecl(let function):
            return [
                simple(
                    "deinit",
                    body: function.body?.statements,
                    parameters: [],
                    at: place,
                    nameRange: range(function.deinitKeyword)
                )
            ]
        case .subscriptDecl(let declaration):
            return subscripts(declaration, place)
        case .classDecl(let type):
            return [
                self.type("class", node: type, inheritance: type.inheritanceClause, block: type.memberBlock, at: place)
            ]
        case .structDecl(let type):
            return [
                self.type("struct", node: type, inheritance: type.inheritanceClause, block: type.memberBlock, at: place)
            ]
        case .enumDecl(let type):
            return [
                self.type("enum", node: type, inheritance: type.inheritanceClause, block: type.memberBlock, at: place)
            ]
        case .actorDecl(let type):
            return [
                self.type("actor", node: type, inheritance: type.inheritanceClause, block: type.memberBlock, at: place)
            ]
        case .protocolDecl(let type):
            return [
                self.type(
                    "protocol",
                    node: type,
                    inheritance: type.inheritanceClause,
                    block: type.memberBlock,
                    at: place
                )
            ]
        case .extensionDecl(let type):
            return [
                Statement(
                    .type(
                        TypeDeclaration(
                            keyword: "extension",
                            name: text(type.extendedType),
                            inherited: inherited(type.inheritanceClause),
                            attributes: attributes(type.attributes),
                            modifiers: names(type.modifiers),
                            members: members(type.memberBlock.members),
                            cases: [],
                            range: place,
                            nameRange: range(type.extendedType)
                        )
                    ),
                    place
                )
            ]
        case .importDecl(let node):
            return [Statement(.importModule(node.path.first?.name.text ?? ""), place)]
        case .typeAliasDecl(let alias):
            return [
                Statement(
                    .alias(alias.name.identifierText, text(alias.initializer.value)),
                    place
                )
            ]
        case .ifConfigDecl(let config): return [Statement(.conditional(clauses(config)), place)]
        case .macroExpansionDecl(let macro):
            let call = Expression(
                .call(Expression(.name("#" + macro.macroName.text), place), arguments(macro.arguments)),
                place
            )
            return [Statement(.expression(call), place)]
        default: return []
        }
    }

    private mutating func function(
        _ name: String,
        signature: FunctionSignatureSyntax,
        result: String?,
        modifiers: [String],
        attributes attributeList: AttributeListSyntax,
        body: CodeBlockSyntax?,
        at place: ByteRange,
        nameRange: ByteRange
    ) -> Statement {
        let function = Function(
            name: name,
            parameters: parameters(signature.parameterClause),
            result: result,
            throws: signature.effectSpecifiers?.throwsClause != nil,
            isAsync: signature.effectSpecifiers?.asyncSpecifier != nil,
            modifiers: modifiers,
            attributes: attributes(attributeList),
            body: body.map { statements($0.statements) },
            range: place,
            nameRange: nameRange
        )
        return Statement(.function(function), place)
    }

    private mutating func simple(
        _ name: String,
        body: CodeBlockItemListSyntax?,
        parameters: [Function.Parameter],
        at place: ByteRange,
        nameRange: ByteRange
    ) -> Statement {
        let function = Function(
            name: name,
            parameters: parameters,
            result: nil,
            throws: false,
            isAsync: false,
            modifiers: [],
            attributes: [],
            body: body.map { statements($0) },
            range: place,
            nameRange: nameRange
        )
        return Statement(.function(function), place)
    }

    private mutating func subscripts(_ node: SubscriptDeclSyntax, _ place: ByteRange) -> [Statement] {
        let parameters = self.parameters(node.parameterClause)
        switch node.accessorBlock?.accessors {
        case .getter(let items)?:
            return [
                simple(
                    "subscript",
                    body: items,
                    parameters: parameters,
                    at: place,
                    nameRange: range(node.subscriptKeyword)
                )
            ]
        case .accessors(let list)?:
            return list.map { accessor in
                let isSetter = accessor.accessorSpecifier.text == "set"
                let value = Function.Parameter(
                    label: nil,
                    name: accessor.parameters?.name.identifierText ?? "newValue",
                    type: text(node.returnClause.type),
                    defaultValue: nil
                )
                return simple(
                    isSetter ? "subscript set" : "subscript",
                    body: accessor.body?.statements,
                    parameters: parameters + (isSetter ? [value] : []),
                    at: range(accessor),
                    nameRange: range(accessor.accessorSpecifier)
                )
            }
        case nil: return []
        }
    }

    private mutating func type(
        _ keyword: String,
        node: some NamedDeclSyntax & WithAttributesSyntax & WithModifiersSyntax,
        inheritance: InheritanceClauseSyntax?,
        block: MemberBlockSyntax,
        at place: ByteRange
    ) -> Statement {
        let declaration = TypeDeclaration(
            keyword: keyword,
            name: node.name.identifierText,
            inherited: inherited(inheritance),
            attributes: attributes(node.attributes),
            modifiers: names(node.modifiers),
            members: members(block.members),
            cases: cases(block.members),
            range: place,
            nameRange: range(node.name)
        )
        return Statement(.type(declaration), place)
    }

    private mutating func members(_ list: MemberBlockItemListSyntax) -> [Statement] {
        nested([]) { converter in list.flatMap { converter.declaration($0.decl) } }
    }

    private mutating func cases(_ list: MemberBlockItemListSyntax) -> [TypeDeclaration.EnumCase] {
        list.flatMap { item -> [TypeDeclaration.EnumCase] in
            guard let cases = item.decl.as(EnumCaseDeclSyntax.self) else { return [] }
            return cases.elements.map { element in
                TypeDeclaration.EnumCase(
                    name: element.name.identifierText,
                    value: element.rawValue.map { expression($0.value) },
                    parameters: element.parameterClause?.parameters.map { text($0.type) } ?? []
                )
            }
        }
    }

    private mutating func variable(_ node: VariableDeclSyntax) -> Variable {
        var later: String?
        // `let a, b: Int`: the annotation of the last applies to those before it.
        var bindings: [Variable.Binding] = []
        for binding in node.bindings.reversed() {
            let pattern = self.pattern(binding.pattern)
            let written = binding.typeAnnotation.map { text($0.type) }
            let type = written ?? (binding.initializer == nil ? later : nil)
            later = type
            var name: String?
            if case .name(let text) = pattern { name = text }
            var item = Variable.Binding(
                pattern: pattern,
                name: name,
                type: type,
                value: binding.initializer.map { expression($0.value) },
                getter: nil,
                setter: nil,
                setterParameter: "newValue",
                observers: [],
                range: range(binding)
            )
            accessors(binding.accessorBlock, &item)
            bindings.append(item)
        }
        return Variable(
            isConstant: node.bindingSpecifier.text == "let",
            modifiers: names(node.modifiers),
            attributes: attributes(node.attributes),
            bindings: bindings.reversed()
        )
    }

    private mutating func accessors(_ block: AccessorBlockSyntax?, _ binding: inout Variable.Binding) {
        switch block?.accessors {
        case .getter(let items)?: binding.getter = statements(items)
        case .accessors(let list)?:
            for accessor in list {
                let body = statements(accessor.body?.statements)
                switch accessor.accessorSpecifier.text {
                case "get": binding.getter = body
                case "set":
                    binding.setter = body
                    binding.setterParameter = accessor.parameters?.name.identifierText ?? "newValue"
                default: binding.observers += body
                }
            }
        case nil: break
        }
    }

    private mutating func parameters(_ clause: FunctionParameterClauseSyntax) -> [Function.Parameter] {
        clause.parameters.map { parameter in
            let label = parameter.firstName.identifierText
            return Function.Parameter(
                label: label == "_" ? nil : label,
                name: (parameter.secondName ?? parameter.firstName).identifierText,
                type: text(parameter.type),
                defaultValue: parameter.defaultValue.map { expression($0.value) }
            )
        }
    }

    private func names(_ modifiers: DeclModifierListSyntax) -> [String] {
        modifiers.map { $0.name.text }
    }

    private func inherited(_ clause: InheritanceClauseSyntax?) -> [String] {
        clause?.inheritedTypes.map { text($0.type) } ?? []
    }

    private mutating func attributes(_ list: AttributeListSyntax) -> [AttributeUse] {
        list.compactMap { element -> AttributeUse? in
            guard case .attribute(let attribute) = element else { return nil }
            var uses: [CallArgument] = []
            if case .argumentList(let list)? = attribute.arguments { uses = arguments(list) }
            return AttributeUse(
                name: text(attribute.attributeName),
                arguments: uses,
                text: text(attribute)
            )
        }
    }

    private mutating func clauses(_ config: IfConfigDeclSyntax) -> [Statement.Clause] {
        config.clauses.map { clause in
            let body: [Statement] =
                switch clause.elements {
                case .statements(let items)?: statements(items)
                case .decls(let items)?: members(items)
                default: []
                }
            return Statement.Clause(condition: clause.condition.map { text($0) }, body: body)
        }
    }
}
#endif
