/** One key at two services: one page at the provider. */
import { expect, test } from 'vitest'
import { createToken } from '../../testing/payments/subscriptions.ts'
import { startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { startCountingBank } from '../../testing/providers/counting-bank.ts'
import { closeAfter, openScene } from '../../testing/scene.ts'

const AT_ONCE = 20
const { kassa, shop } = await openScene()
const bank = closeAfter(await startCountingBank())
const given = { databaseUrl: kassa.databaseUrl, bankUrl: bank.url, leaseSeconds: 2 }

test('of twenty concurrent requests to two services one creates, nineteen replay it, and the provider opens one page', async () => {
  const processes = await Promise.all([startCrashingKassa(given), startCrashingKassa(given)])
  for (let round = 0; round < 5; round++) {
    const before = bank.orders.size
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        createToken(processes[index % 2]?.url ?? '', shop, { key: `both-${round}` }),
      ),
    )
    const created = answers.filter(({ status, body }) => status === 201 && body.created === true)
    const replayed = answers.filter(
      ({ status, body, headers }) =>
        status === 200 && body.created === false && headers.get('x-idempotent-replay') === 'true',
    )
    expect([round, created.length, replayed.length]).toEqual([round, 1, AT_ONCE - 1])
    expect(new Set(answers.map(({ body }) => body.setupUrl)).size).toBe(1)
    expect([bank.orders.size - before, Math.max(...bank.orders.values())]).toEqual([1, 1])
  }
  for (const { kill, ended } of processes) {
    await kill()
    await ended
  }
})

test('a request whose Kassa dies before the provider is called is continued by another one after its claim has ended', async () => {
  const dying = await startCrashingKassa({ ...given, crash: { at: 'before save', nth: 1 } })
  const living = await startCrashingKassa(given)
  await createToken(dying.url, shop, { key: 'dying' }).catch(() => null)
  await dying.ended
  expect(dying.reached()).toBe('before save')
  const before = bank.orders.size
  // The claim lasts two seconds; this request waits for its end.
  const retried = await createToken(living.url, shop, { key: 'dying' })
  expect([retried.status, retried.body.created]).toEqual([201, true])
  const replayed = await createToken(living.url, shop, { key: 'dying' })
  expect([replayed.status, replayed.body.setupUrl]).toEqual([200, retried.body.setupUrl])
  expect(bank.orders.size - before).toBe(1)
  await living.kill()
})
