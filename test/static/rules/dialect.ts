/** Phrases of an English that readers had to decode. Plain words replace them everywhere. */
export const phrases: readonly string[] = [
  'told',
  'so many',
  'those who',
  'whoever',
  'of ours',
  'in work',
  'at hand',
  'what is to',
  'such as is',
  'anew',
  'for ever',
  'by way of',
  'behind',
]

export function matchPhrases(list: readonly string[]): RegExp {
  return new RegExp(
    `\\b(?:${list.map(phrase => phrase.replaceAll(' ', '\\s+(?:(?://|\\*)\\s+)?')).join('|')})\\b`,
    'gi',
  )
}
