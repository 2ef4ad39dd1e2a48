import { hash } from 'node:crypto'
import { writeContentPolicy } from './content-policy.ts'

/** A document: what is in its `main`, and the files of its own. */
export interface DocumentParts {
  readonly title: string
  /** HTML. */
  readonly main: string
  readonly module: string
  readonly style?: string
}

const advice = [
  'This page did not load. Check your connection, then reload the page.',
  'If it stays empty, something in the browser or on the way to the gateway blocks a file of the page.',
]

/** What a document says if its page is not there some seconds after it was opened. */
export const unloaded = `<p class="alert unloaded" role="alert">${advice.join('\n')}</p>`

/** What every document names. */
export interface SiteParts {
  /** The folder of this version, with a slash at both ends. */
  readonly folder: string
  readonly importMap: string
}

/** Returns the policy of all pages: their own files, the import map, and nothing that became code from text. */
export function writePolicy(importMap: string): string {
  return writeContentPolicy(
    `script-src 'self' 'sha256-${hash('sha256', importMap, 'base64')}'`,
    "style-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "img-src 'self'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html rostrum',
  )
}

/** Renders the document of a page. `modules` are the names of all modules that it loads before it runs. */
export function renderDocument(
  page: DocumentParts,
  modules: readonly string[],
  { folder, importMap }: SiteParts,
) {
  const title = page.title === 'Rostrum' ? page.title : `${page.title} · Rostrum`
  const styles = ['style.css', ...(page.style === undefined ? [] : [page.style])]
  const links = styles.map(name => `<link rel="stylesheet" href="${folder}pages/${name}">`)
  const preloads = modules.map(name => `<link rel="modulepreload" href="${folder}${name}">`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${folder}pages/favicon.svg" type="image/svg+xml">
${links.join('\n')}
<script type="importmap">${importMap}</script>
${preloads.join('\n')}
<script type="module" src="${folder}pages/${page.module}"></script>
</head>
<body>
<page-header translate="no"></page-header>
<main id="main">${page.main}</main>
<noscript>Rostrum's pages need JavaScript.</noscript>
</body>
</html>
`
}
