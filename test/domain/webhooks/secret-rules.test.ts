import { describe, expect, test } from 'vitest'
import { checkSecret } from '../../../src/domain/webhooks/secret-rules.ts'
import type { WebhookVerification } from '../../../src/domain/webhooks/webhook-store.ts'

const isGood = (verification: WebhookVerification, secret: string) =>
  checkSecret(verification, secret).length === 0

const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`

describe('a secret of a sender', () => {
  test.each([
    ['standard', whsec(24), true],
    ['standard', whsec(64), true],
    ['standard', whsec(23), false],
    ['standard', whsec(65), false],
    ['standard', whsec(32).slice('whsec_'.length), false],
    ['standard', whsec(32).toUpperCase(), false],
    ['standard', whsec(32).replace('=', ''), false],
    ['standard', `${whsec(32)}\n`, false],
    ['standard', `${whsec(33).slice(0, -1)}!`, false],
    ['standard', `whsec_${'-_'.repeat(22)}`, false],
    ['standard', 'x'.repeat(32), false],
    ['standard', '', false],
    ['github', 'x'.repeat(16), true],
    ['github', 'x'.repeat(512), true],
    ['github', 'x'.repeat(15), false],
    ['github', 'x'.repeat(513), false],
    ['github', '🔑'.repeat(512), true],
    ['github', '🔑'.repeat(513), false],
    ['github', "It's a Secret to Everybody", true],
    ['github', `${'x'.repeat(16)}\n`, false],
    ['github', `${'x'.repeat(16)}\0`, false],
    ['github', `${'x'.repeat(16)}\u0085`, false],
    ['github', `${'x'.repeat(16)}\ud800`, false],
    ['secret', 'x'.repeat(16), true],
    ['secret', '~'.repeat(512), true],
    ['secret', 'x'.repeat(15), false],
    ['secret', 'x'.repeat(513), false],
    ['secret', `a ${'x'.repeat(16)} b`, true],
    ['secret', ` ${'x'.repeat(16)}`, false],
    ['secret', `${'x'.repeat(16)} `, false],
    ['secret', `${'x'.repeat(16)}ü`, false],
    ['secret', `${'x'.repeat(16)}\tx`, false],
    ['secret', `${'x'.repeat(16)}\r\nx`, false],
  ] as const)('for %s, %j: %s', (verification, secret, expected) => {
    expect(isGood(verification, secret)).toBe(expected)
  })

  test('is in no message about it', () => {
    for (const verification of ['standard', 'github', 'secret'] as const) {
      const [problem] = checkSecret(verification, 'hunter2')
      expect(problem).toMatchObject({ pointer: '/secret' })
      expect(JSON.stringify(problem)).not.toContain('hunter')
    }
  })
})
