/** A real process that ends answers who waits, at once. */
import { afterAll, expect, test } from 'vitest'
import { call, createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { spawnKassa } from '../../testing/harness.ts'
import { openScene } from '../../testing/scene.ts'

const { kassa, shop } = await openScene()
const child = await spawnKassa({ DATABASE_URL: kassa.databaseUrl })
afterAll(() => child.kill('SIGKILL'))

const headers = (key: string) => ({ authorization: `Bearer ${shop.token}`, 'idempotency-key': key })

test('SIGTERM ends a wait with the state as it is, and the same key shows the result later', async () => {
  // The bank decides about this refund only 20 seconds later.
  const body = sessionRequest({ metadata: { sandboxFault: 'refund_fails_later' } })
  const { body: session } = await createSession(child.url, shop, { key: 'ends', body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  const refund = { headers: headers('refund'), body: { amountMinor: 500, reason: 'r' } }
  const url = `${child.url}/v1/payments/${session.id}/refunds`
  const waiting = call(url, { ...refund, headers: { ...refund.headers, prefer: 'wait=10' } })
  const operations = async () =>
    (await kassa.ctx.db.query(`select status from sandbox.operations where payment_id = $1`, [session.id]))
      .rows
  await expect.poll(operations).toEqual([{ status: 'processing' }])
  const ended = child.kill('SIGTERM')
  const answer = await waiting
  await ended
  expect([answer.status, answer.headers.get('preference-applied')]).toEqual([201, null])
  // It was queued when the wait began.
  expect(answer.body.operation).toMatchObject({ type: 'refund', amountMinor: 500, status: 'processing' })
  const replay = await call(url.replace(child.url, kassa.url), refund)
  expect([replay.status, replay.body.operation.id]).toEqual([200, answer.body.operation.id])
})
