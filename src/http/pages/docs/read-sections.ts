import type { Token, Tokens } from 'marked'

/** A heading and the text below it, up to the next heading. */
export interface Section {
  readonly id: string
  readonly depth: number
  readonly heading: string
  /** Without marks, in one line. */
  readonly text: string
}

/** Splits the tokens of a page at its headings, whose ids follow GitHub's rule. */
export function readSections(tokens: readonly Token[]): Section[] {
  const counts = new Map<string, number>()
  const sections: { id: string; depth: number; heading: string; texts: string[] }[] = []
  for (const token of tokens) {
    if (token.type !== 'heading') {
      sections.at(-1)?.texts.push(plainText(token))
      continue
    }
    const heading = plainText(token).trim()
    const id = writeId(heading)
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    sections.push({ id: count === 0 ? id : `${id}-${count}`, depth: token.depth, heading, texts: [] })
  }
  return sections.map(({ texts, ...section }) => ({
    ...section,
    text: texts.join(' ').replace(/\s+/g, ' ').trim(),
  }))
}

function writeId(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

const blocks = new Set(['list', 'list_item', 'table', 'blockquote'])

function plainText(token: Token): string {
  if (token.type === 'html' || token.type === 'space' || token.type === 'br') return ' '
  const parts = partsOf(token)
  if (parts === undefined) return 'text' in token ? token.text : ''
  return parts.map(plainText).join(blocks.has(token.type) ? ' ' : '')
}

function partsOf(token: Token): readonly Token[] | undefined {
  if (token.type === 'list') return (token as Tokens.List).items
  if (token.type !== 'table') return 'tokens' in token ? token.tokens : undefined
  const { header, rows } = token as Tokens.Table
  return [header, ...rows].flat().map(({ tokens }) => ({ type: 'paragraph', raw: '', text: '', tokens }))
}
