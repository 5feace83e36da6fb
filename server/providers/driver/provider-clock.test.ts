/** A clock that differs from the provider's is a problem before signatures are rejected because of it. */
import { expect, test } from 'vitest'
import type { ProviderHttp } from '../http.ts'
import { watchClock } from './provider-clock.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')

/** Returns the finding after one answer with this header. */
async function judge(date: string | undefined) {
  const headers = date === undefined ? {} : { date }
  const http = { request: async () => ({ status: 200, headers, body: Buffer.alloc(0), text: '' }) }
  const clock = watchClock(http as unknown as ProviderHttp, () => NOW)
  await clock.http.request({ method: 'GET', url: 'https://provider.example' })
  return clock.finding()
}

test.each([
  ['Mon, 23 Nov 2026 12:00:00 GMT', 'ok'],
  ['Mon, 23 Nov 2026 12:00:30 GMT', 'ok'],
  ['Mon, 23 Nov 2026 11:59:29 GMT', 'problem'],
  ['Mon, 23 Nov 2026 12:00:31 GMT', 'problem'],
  ['Mon, 23 Nov 2026 09:00:00 GMT', 'problem'],
  ['yesterday', 'unknown'],
  [undefined, 'unknown'],
])('an answer that says %s: %s', async (date, state) => {
  expect((await judge(date)).state).toBe(state)
})

test('the message says which clock is ahead, and by how much', async () => {
  expect((await judge('Mon, 23 Nov 2026 11:58:00 GMT')).message).toContain('120 seconds ahead of')
  expect((await judge('Mon, 23 Nov 2026 12:05:00 GMT')).message).toContain('300 seconds behind')
})
