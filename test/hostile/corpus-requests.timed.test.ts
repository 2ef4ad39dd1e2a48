import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCorpusLines } from './corpus-lines.ts'
import { isTimed, runWireLine } from './run-wire-line.ts'
import { startWireStage, type WireStage } from './wire-stage.ts'

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
