import { afterAll, beforeAll, expect, test } from 'vitest'
import { isTimed, runWireLine } from '../wire/run-wire-line.ts'
import { startWireStage, type WireStage } from '../wire/wire-stage.ts'
import { readCorpusLines } from './corpus-lines.ts'

const lines = readCorpusLines('http').filter(isTimed)

let stage: WireStage

beforeAll(async () => {
  stage = await startWireStage()
})
afterAll(() => stage.stop())

test.each(lines)('$id ($class)', line => runWireLine(line, stage))

test('two lines are timed', () => {
  expect(lines).toHaveLength(2)
})
