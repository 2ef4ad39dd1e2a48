import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { constants, gzipSync } from 'node:zlib'
import { buildDocs, type DocsDocument } from './docs/build-docs.ts'
import { pageList } from './page-list.ts'
import { type DocumentParts, renderDocument, unloaded, writePolicy } from './render-document.ts'
import { type ModuleGraph, walkModules, withImports } from './walk-modules.ts'

/** A file as it is sent. */
export interface BuiltFile {
  readonly type: string
  readonly gzipped: Uint8Array<ArrayBuffer>
}

/** All pages and their files, compressed. */
export interface BuiltSite {
  readonly version: string
  readonly policy: string
  /** By the path of the page. */
  readonly documents: Readonly<Record<string, BuiltFile>>
  /** The answer for a page of the docs that does not exist. */
  readonly missingDocument: BuiltFile
  /** By the path below `/assets/<version>/`. */
  readonly assets: Readonly<Record<string, BuiltFile>>
}

const docsModule = 'docs/docs-search.ts'
const docsStyle = 'docs/docs.css'
const searchIndexName = 'docs/search.json'
const styles = ['style.css', docsStyle, ...pageList.flatMap(({ style }) => style ?? [])]
const stillFiles = {
  ...Object.fromEntries(styles.map(name => [`pages/${name}`, 'text/css'])),
  'pages/favicon.svg': 'image/svg+xml',
}

// The main function of a worker thread: it posts one `BuiltSite` and ends. Stripping types and compressing takes half a
// second and some megabytes, which end with the thread.
process.emitWarning = () => undefined
const graph = walkModules([docsModule, ...pageList.map(({ module }) => module)])
const docs = buildDocs()
const texts = new Map([
  ...Object.keys(stillFiles).map((name): [string, string] => [name, withoutComments(readSourceFile(name))]),
  [searchIndexName, docs.searchIndex],
])
const version = writeVersion(graph, texts)
const folder = `/assets/${version}/`
const importMap = writeImportMap(graph)
const site: BuiltSite = {
  version,
  policy: writePolicy(importMap),
  documents: Object.fromEntries([
    ...pageList.map(({ path, ...page }) => [
      path,
      compressDocument({ ...page, main: writeMain(basename(page.module, '.ts')) }),
    ]),
    ...Object.entries(docs.documents).map(([path, page]) => [path, compressDocument(withSearch(page))]),
  ]),
  missingDocument: compressDocument(withSearch(docs.missing)),
  assets: Object.fromEntries([
    [searchIndexName, compress('application/json', docs.searchIndex)],
    ...Object.entries(stillFiles).map(([name, type]) => [name, compress(type, texts.get(name) ?? '')]),
    ...[...graph.modules].map(([name, { text }]) => [name, compress('text/javascript', text)]),
  ]),
}
parentPort?.postMessage(site)

function readSourceFile(name: string): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
}

// A page is loaded with its style sheets, whose comments are for readers of the source.
function withoutComments(text: string): string {
  return text.replace(/\/\*.*?\*\/\n?/gs, '')
}

// A translator puts other texts in the place of those that a page goes on changing, which would then stand still.
function writeMain(element: string): string {
  return `<${element} translate="no"></${element}>\n${unloaded}`
}

function withSearch({ title, html }: DocsDocument): DocumentParts {
  const search = `<docs-search translate="no" index="${folder}${searchIndexName}"></docs-search>`
  const main = `${search}\n<div id="docs">${html}</div>`
  return { title, main, module: docsModule, style: docsStyle }
}

function compressDocument(page: DocumentParts): BuiltFile {
  const modules = withImports(graph.modules, `pages/${page.module}`)
  return compress('text/html', renderDocument(page, modules, { folder, importMap }))
}

function compress(type: string, text: string): BuiltFile {
  const gzipped = new Uint8Array(gzipSync(text, { level: constants.Z_BEST_COMPRESSION }))
  return { type: `${type}; charset=utf-8`, gzipped }
}

// TypeScript is not a module of the graph: `package.json` names its version.
function writeVersion({ modules }: ModuleGraph, texts: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256')
  for (const [name, { text }] of modules) hash.update(`${name}\n${text.length}\n${text}`)
  for (const [name, text] of texts) hash.update(`${name}\n${text}`)
  hash.update(readFileSync(new URL('../../../package.json', import.meta.url)))
  return hash.digest('hex').slice(0, 16)
}

function writeImportMap({ packages }: ModuleGraph): string {
  const imports = Object.fromEntries([...packages].map(([specifier, name]) => [specifier, folder + name]))
  return JSON.stringify({ imports })
}
