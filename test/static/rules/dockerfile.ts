import { readFileSync } from 'node:fs'
import { root } from './source-files.ts'

export interface Instruction {
  readonly name: string
  readonly text: string
}

/** The instructions of the Dockerfile, comments left out and continued lines put together. */
export const instructions: readonly Instruction[] = readFileSync(`${root}Dockerfile`, 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(line => line !== '')
  .map(line => {
    const [name = '', ...words] = line.split(' ')
    return { name, text: words.join(' ') }
  })

/** Those of the last stage, which are the image. */
export const imageInstructions = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))

export const textsOf = (all: readonly Instruction[], name: string) =>
  all.filter(instruction => instruction.name === name).map(({ text }) => text)

/** What `COPY` takes from the repository, by stage or not: [sources, target]. */
export function copiesFromHere(all: readonly Instruction[]): { sources: string[]; target: string }[] {
  return textsOf(all, 'COPY')
    .filter(text => !text.includes('--from='))
    .map(text => text.split(' '))
    .map(words => ({ sources: words.slice(0, -1), target: words.at(-1) ?? '' }))
}
