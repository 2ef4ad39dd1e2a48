import { expect, test } from 'vitest'
import { sendRequest } from '../../src/pages/gateway/send-request.ts'

const request = { body: {}, accept: '*/*', signal: new AbortController().signal }

test('a token that was copied with something else is refused before it is sent', async () => {
  for (const token of [
    'Bearer rst_a',
    'Authorization: Bearer rst_a',
    'rst_a rst_a',
    '“rst_a”',
    '\u200brst_a',
  ])
    await expect(sendRequest('/graphql', { ...request, token }), token).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'A token has ASCII characters only and no spaces. Copy it without `Bearer`.',
    })
})
