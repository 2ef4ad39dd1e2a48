import { expect, test } from 'vitest'
import { viewCode, viewJson, viewText } from '../../../src/pages/shell/view-text.ts'

type Shown = ReturnType<typeof viewText>

// Writes what is laid out by itself between ⟦ and ⟧, and a mark between ‹ and ›.
function print(shown: Shown): string {
  if (typeof shown === 'string') return shown
  if (!('strings' in shown)) return shown.map(print).join('')
  const [first, second] = shown.values as Shown[]
  return second === undefined ? `‹${first}›` : `⟦${print(second)}⟧`
}

const textOf = (shown: Shown): string => print(shown).replaceAll(/[⟦⟧]/g, '')

test('strings and comments that are written from right to left are laid out by themselves', () => {
  const shownAs: Readonly<Record<string, string>> = {
    '{"مرحبا (שלום) 123": 1, "a": "b"}': '{⟦"مرحبا (שלום) 123"⟧: 1, "a": "b"}',
    '["\\"שלום\\"", 5, "https://x/א", 6]': '[⟦"\\"שלום\\""⟧, 5, ⟦"https://x/א"⟧, 6]',
    "exit('א', `ב`, \"don't\") // שלום 1\nlog(1)": "exit(⟦'א'⟧, ⟦`ב`⟧, \"don't\") //⟦ שלום 1⟧\nlog(1)",
    '["א", "cut off ב': '[⟦"א"⟧, ⟦"cut off ב⟧',
    '["\u202eא", "b", 1]': '[⟦"‹U+202E›א"⟧, "b", 1]',
    "f(`a\nא`) + 'ב', 1": "f(⟦`a\nא`⟧) + ⟦'ב'⟧, 1",
  }
  for (const [text, expected] of Object.entries(shownAs)) expect(print(viewCode(text))).toBe(expected)
})

test('a string of JSON has the direction of its words, and one of a source that of code', () => {
  const directionsOf = (shown: Shown): unknown[] =>
    typeof shown === 'string' ? [] : 'strings' in shown ? [shown.values[0]] : shown.flatMap(directionsOf)
  expect(directionsOf(viewJson('["א", 1, "b", "ב"]'))).toEqual(['auto', 'auto'])
  expect(directionsOf(viewCode("/'א/.test(x) && f(y) || g('')"))).toEqual(['ltr'])
})

test('the marks of all strings are counted together, and no character is lost', () => {
  const shown = print(viewCode('"א\u202e",'.repeat(300)))
  expect(shown.match(/‹U\+202E›/g)).toHaveLength(200)
  expect(shown.match(/\ufffd/g)).toHaveLength(100)
  expect(shown.match(/א/g)).toHaveLength(300)
})

test('a sentence keeps the order of its words, and a text without such letters stays one', () => {
  for (const text of ['אמר "שלום", וגם "עולם"', '{"a": "b"} // c']) expect(viewText(text)).toBe(text)
  expect(viewCode('{"a": "b"} // c')).toBe('{"a": "b"} // c')
})

test('64 KB of such strings, or of quotes, lose nothing', () => {
  for (const text of [
    '"א",'.repeat(13_000),
    `א"${'\\"'.repeat(32_000)}`,
    `א${'"\'`'.repeat(21_000)}`,
    `א\`${'\\`\n'.repeat(21_000)}`,
  ]) {
    const shown = viewCode(text)
    expect(textOf(shown)).toBe(text)
    expect(Array.isArray(shown) ? shown.length : 1).toBeLessThanOrEqual(1_001)
  }
})

test('text that is hidden in tags, joiners or variation selectors is marked, and emoji are not', () => {
  const hide = (text: string) =>
    Array.from(text, one => String.fromCodePoint(0xe0000 + (one.codePointAt(0) ?? 0))).join('')
  const scotland = `\u{1f3f4}${hide('gbsct')}\u{e007f}`
  for (const text of [
    scotland,
    '\u2764\ufe0f',
    '1\ufe0f\u20e3',
    '\u2764\ufe0f\u200d\u{1f525}',
    '\u{1f468}\u200d\u{1f469}',
    '\u0646\u200c\u0645',
  ])
    expect(viewText(text)).toBe(text)
  expect(print(viewText(`${scotland}${hide('x')}`))).toBe(`${scotland}‹U+E0078›`)
  expect(print(viewText(`\u{1f3f4}${hide('send it')}`))).toContain('‹U+E0069 U+E0074›')
  expect(print(viewText('é\u200d\u200c\u200d'))).toBe('é\u200d‹U+200C U+200D›')
  expect(print(viewText('\u2764\ufe0f\ufe01\u{e0101}'))).toBe('\u2764\ufe0f‹U+FE01 U+E0101›')
  expect(print(viewText('é\u200d\ufe01\u200d\ufe02'))).toBe('é\u200d‹U+FE01›\u200d‹U+FE02›')
  expect(print(viewText('a\u{e0080}b\u{1d173}'))).toBe('a‹U+E0080›b‹U+1D173›')
  expect(print(viewText('a\ufe01b\u{e0101}'))).toBe('a‹U+FE01›b‹U+E0101›')
})

test('a text of tags alone is shown in time', () => {
  const tags = '\u{e0041}'.repeat(250_000)
  expect(print(viewText(tags))).toMatch(/^‹U\+E0041 .* …›$/)
  expect(print(viewText(`\u{1f3f4}${tags}`))).toMatch(/ …›$/)
})
