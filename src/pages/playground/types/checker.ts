import type ts from '@typescript/typescript6'
import { inferType } from './infer-type.ts'
import type {
  Answers,
  CallDescription,
  Completion,
  Description,
  Problem,
  Question,
  TypeTexts,
} from './protocol.ts'

type TypeScript = typeof ts

const scriptFile = '/script.js'
const apiFile = '/rostrum.d.ts'
const maxProblems = 100
const maxCompletions = 500
// A script is the body of an async function: it can return. And it can add members to the values that it was given, and
// delete those that they have.
const returnOutside = 1108
const deletedRequired = 2790
const allowed = new Set([returnOutside, deletedRequired])
const unknownMembers = new Set([2339, 2551])

/** Answers questions about a script with TypeScript's language service. */
export function createChecker(typescript: TypeScript, { language, api }: TypeTexts) {
  const files = new Map(Object.entries(language).map(([name, text]) => [`/${name}`, { text, version: 0 }]))
  files.set(apiFile, { text: api, version: 0 })
  const service = typescript.createLanguageService(createHost(typescript, files))

  function update(name: string, text: string): void {
    const file = files.get(name)
    if (file?.text !== text) files.set(name, { text, version: (file?.version ?? 0) + 1 })
  }

  function check(): readonly Problem[] {
    const syntactic = service.getSyntacticDiagnostics(scriptFile)
    const found = syntactic.length > 0 ? syntactic : service.getSemanticDiagnostics(scriptFile)
    const source = service.getProgram()?.getSourceFile(scriptFile)
    if (source === undefined) return []
    const added = findAddedMembers(typescript, source)
    return found
      .filter(({ code, start, length }) => {
        const name = source.text.slice(start, (start ?? 0) + (length ?? 0))
        return !allowed.has(code) && !(unknownMembers.has(code) && added.has(name))
      })
      .slice(0, maxProblems)
      .map(({ start = 0, length = 0, messageText }) => {
        const { line, character } = source.getLineAndCharacterOfPosition(start)
        const message = typescript.flattenDiagnosticMessageText(messageText, ' ')
        return { line: line + 1, column: character + 1, length, message }
      })
  }

  function complete(offset: number): readonly Completion[] {
    const entries = service.getCompletionsAtPosition(scriptFile, offset, {})?.entries ?? []
    return entries
      .filter(({ kind }) => kind !== typescript.ScriptElementKind.warning)
      .slice(0, maxCompletions)
      .map(({ name, kind, sortText }) => ({ name, kind, sortText }))
  }

  function explain(offset: number, name: string): Description | null {
    const details = service.getCompletionEntryDetails(scriptFile, offset, name, {}, undefined, {}, undefined)
    return details === undefined ? null : { from: offset, to: offset, ...printDetails(details) }
  }

  function describe(offset: number): Description | null {
    const info = service.getQuickInfoAtPosition(scriptFile, offset)
    if (info === undefined) return null
    const { start, length } = info.textSpan
    return { from: start, to: start + length, ...printDetails(info) }
  }

  function describeCall(offset: number): CallDescription | null {
    const help = service.getSignatureHelpItems(scriptFile, offset, {})
    const item = help?.items[help.selectedItemIndex]
    if (help === undefined || item === undefined) return null
    const print = typescript.displayPartsToString
    const separator = print(item.separatorDisplayParts)
    const texts = item.parameters.map(({ displayParts }) => print(displayParts))
    const last = texts.length - 1
    const index = item.isVariadic ? Math.min(help.argumentIndex, last) : help.argumentIndex
    const before = texts.slice(0, index).map((text, at) => (at === last ? text : text + separator))
    const after = texts.slice(index + 1).map(text => separator + text)
    return {
      from: help.applicableSpan.start,
      before: print(item.prefixDisplayParts) + before.join(''),
      argument: texts[index] ?? '',
      after: after.join('') + print(item.suffixDisplayParts),
      documentation: print(item.documentation),
    }
  }

  function printDetails({
    displayParts,
    documentation,
  }: Pick<ts.QuickInfo, 'displayParts' | 'documentation'>) {
    return {
      signature: typescript.displayPartsToString(displayParts),
      documentation: typescript.displayPartsToString(documentation),
    }
  }

  /** Answers one question. */
  return ({ kind, script, input, offset, name }: Question): Answers[keyof Answers] => {
    update(scriptFile, script)
    // A function, because `$` in a name of the input would mean something in a text.
    const declare = () => `declare let payload: ${inferType(input)}`
    update(apiFile, api.replace(/^declare let payload: Rostrum\.Json$/m, declare))
    if (kind === 'check') return check()
    if (kind === 'complete') return complete(offset)
    if (kind === 'explain') return explain(offset, name)
    return kind === 'describe' ? describe(offset) : describeCall(offset)
  }
}

type Files = Map<string, { readonly text: string; readonly version: number }>

function createHost(typescript: TypeScript, files: Files): ts.LanguageServiceHost {
  const options: ts.CompilerOptions = {
    allowJs: true,
    checkJs: true,
    strict: true,
    // A script has no types of its own.
    noImplicitAny: false,
    useUnknownInCatchVariables: false,
    target: typescript.ScriptTarget.ESNext,
    module: typescript.ModuleKind.ESNext,
    moduleDetection: typescript.ModuleDetectionKind.Force,
    lib: ['lib.esnext.d.ts'],
    types: [],
    noEmit: true,
  }
  return {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [scriptFile, apiFile],
    getScriptVersion: name => String(files.get(name)?.version ?? 0),
    getScriptSnapshot: name => {
      const file = files.get(name)
      return file === undefined ? undefined : typescript.ScriptSnapshot.fromString(file.text)
    },
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => '/lib.esnext.d.ts',
    fileExists: name => files.has(name),
    readFile: name => files.get(name)?.text,
  }
}

// The names of members that the script assigns.
function findAddedMembers(typescript: TypeScript, source: ts.SourceFile): ReadonlySet<string> {
  const { EqualsToken, QuestionQuestionEqualsToken, BarBarEqualsToken } = typescript.SyntaxKind
  // The others read a member first, which one that is absent does not bear.
  const assignments = new Set<ts.SyntaxKind>([EqualsToken, QuestionQuestionEqualsToken, BarBarEqualsToken])
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (typescript.isBinaryExpression(node) && assignments.has(node.operatorToken.kind)) {
      if (typescript.isPropertyAccessExpression(node.left)) names.add(node.left.name.text)
    }
    typescript.forEachChild(node, visit)
  }
  visit(source)
  return names
}
