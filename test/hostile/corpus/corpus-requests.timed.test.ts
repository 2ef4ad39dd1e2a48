import { afterAll, beforeAll, test } from 'vitest'
import { isTimed, runWireLine } from '../wire/run-wire-line.ts'
import { startWireStage, type WireStage } from '../wire/wire-stage.ts'
import { requestLines } from './request-lines.ts'

const lines = requestLines.filter(isTimed)

let stage: WireStage

beforeAll(async () => {
  stage = await startWireStage()
})
afterAll(() => stage.stop())

test.each(lines)('$title', line => runWireLine(line, stage))
