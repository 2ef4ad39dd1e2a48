import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Page {
  /** Below the repository's root. */
  readonly path: string
  readonly text: string
}

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  readonly text: string
  /** Of its first fence, from 1. */
  readonly line: number
  /** True where only blank lines are between it and the block before. */
  readonly followsBlock: boolean
}

/** What a reader does with a page, in the order of the page. */
export type Step =
  /** Saves the script under the name that its first line gives. */
  | { readonly kind: 'save'; readonly name: string; readonly text: string }
  /** Pastes the lines; `answer` is the block printed under them, if there is one. */
  | { readonly kind: 'paste'; readonly text: string; readonly line: number; readonly answer: Block | null }

/** The pages at the top and every page of `docs/`. */
export const pages: readonly Page[] = [
  'README.md',
  'SECURITY.md',
  ...globSync('docs/*.md', { cwd: root }).sort(),
]
  .filter(path => existsSync(root + path))
  .map(path => ({ path, text: readFileSync(root + path, 'utf8') }))

export function readPage(path: string): Page {
  const page = pages.find(candidate => candidate.path === path)
  if (page === undefined) throw new Error(`There is no page \`${path}\`.`)
  return page
}

export function readBlocks({ text }: Page): Block[] {
  const blocks: Block[] = []
  let end = 0
  for (const match of text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const [whole, language = '', content = ''] = match
    const followsBlock = end > 0 && text.slice(end, match.index).trim() === ''
    const line = text.slice(0, match.index).split('\n').length
    blocks.push({ language, text: content.trimEnd(), line, followsBlock })
    end = match.index + whole.length
  }
  return blocks
}

/** The steps of a page: its `sh` blocks, and its `js` blocks that begin with `// <name>.js`. */
export function readSteps(page: Page): Step[] {
  const blocks = readBlocks(page)
  return blocks.flatMap((block, index): Step[] => {
    const { language, text, line } = block
    if (language === 'js') {
      const name = /^\/\/ ([\w-]+\.js)$/m.exec(text)?.[1]
      return name === undefined ? [] : [{ kind: 'save', name, text: `${text}\n` }]
    }
    if (language !== 'sh') return []
    const next = blocks[index + 1]
    const isAnswer = next?.followsBlock === true && ['json', 'http', 'text'].includes(next.language)
    return [{ kind: 'paste', text, line, answer: isAnswer ? next : null }]
  })
}

/** The cells of the table under a heading of a page, without the heads of its columns. */
export function readTable(page: Page, heading: string): string[][] {
  const section = page.text.split(/^##? /m).find(part => part.startsWith(`${heading}\n`)) ?? ''
  const rows = section.split('\n').filter(line => line.startsWith('| '))
  return rows.slice(2).map(row =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map(cell => cell.trim()),
  )
}
