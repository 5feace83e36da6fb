/** Concurrent requests with one key: the provider opens one page, one request creates, and the others replay it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Driver, SavingResult } from '../../providers/driver.ts'
import { mortalDb, recordingDb } from '../../testing/mortal-db.ts'
import { createToken, tokenRequest } from '../../testing/payments/subscriptions.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { openScene } from '../../testing/scene.ts'
import { createTokenizationIntent } from './saved-method.ts'

const { kassa, shop } = await openScene()
const { route_a: plain } = kassa.ctx.routes

const TWINS = 20
let pages: string[] = []
let answerWith: (reference: string) => Promise<SavingResult>
beforeEach(() => {
  pages = []
  answerWith = async (reference) => ({
    kind: 'redirect',
    url: `https://bank.example/${reference}/${pages.length}`,
  })
  const saveToken: Driver['saveToken'] = async (_call, { reference }) => {
    pages.push(reference)
    // Real time: the provider is slow, and every order of the twins is right.
    await sleep(50)
    return answerWith(reference)
  }
  changeDriver(kassa.ctx, 'route_a', { saveToken })
})
afterEach(() => {
  kassa.ctx.routes.route_a = plain
})

const post = (key: string) => createToken(kassa.url, shop, { key })
type Answer = Awaited<ReturnType<typeof post>>
const summary = (answers: Answer[]) => ({
  created: answers.filter(({ status, body }) => status === 201 && body.created === true).length,
  replayed: answers.filter(
    ({ status, body, headers }) =>
      status === 200 && body.created === false && headers.get('x-idempotent-replay') === 'true',
  ).length,
  pages: new Set(answers.map(({ body }) => body.setupUrl)).size,
})

test('of twenty at once one creates, nineteen replay it, and the provider is called once', async () => {
  const answers = await Promise.all(Array.from({ length: TWINS }, () => post('twins')))
  expect({ ...summary(answers), calls: pages.length }).toEqual({
    created: 1,
    replayed: TWINS - 1,
    pages: 1,
    calls: 1,
  })
})

test('if the provider fails, the next of them opens the page, and the failed request can be repeated', async () => {
  let failures = 1
  const open = answerWith
  answerWith = async (reference) => {
    if (failures-- > 0) throw new Error('the connection was reset')
    return open(reference)
  }
  const answers = await Promise.all(Array.from({ length: TWINS }, () => post('failing')))
  const failed = answers.filter(({ status }) => status === 503)
  expect(failed.map(({ body }) => body.error.code)).toEqual(['provider_unavailable'])
  const rest = answers.filter(({ status }) => status !== 503)
  expect({ ...summary(rest), calls: pages.length }).toEqual({
    created: 1,
    replayed: TWINS - 2,
    pages: 1,
    calls: 2,
  })
  expect((await post('failing')).status).toBe(200)
})

test('a request whose process dies at any statement is continued by a retry, and there is one page at the end', async () => {
  const statements: string[] = []
  const given = (idempotencyKey: string) => ({
    merchantId: shop.merchantId,
    idempotencyKey,
    request: tokenRequest() as Parameters<typeof createTokenizationIntent>[1]['request'],
  })
  const { ctx } = kassa
  await createTokenizationIntent({ ...ctx, db: recordingDb(ctx.db, statements) }, given('recorded'))
  for (let point = 0; point <= statements.length; point++) {
    const key = `dying-${point}`
    pages = []
    await createTokenizationIntent({ ...ctx, db: mortalDb(ctx.db, point) }, given(key)).catch(() => {})
    kassa.clock.advance(ctx.config.attemptLeaseSeconds * 1_000 + 1_000)
    const retried = await post(key)
    const replayed = await post(key)
    expect([point, [200, 201].includes(retried.status), replayed.status]).toEqual([point, true, 200])
    expect(replayed.body.setupUrl).toBe(retried.body.setupUrl)
    // A page whose answer was lost before it was stored is opened once more, under the same reference.
    expect([point, pages.length <= 2, new Set(pages).size]).toEqual([point, true, 1])
  }
})

test('a request that a living process holds for too long is told to come again', {
  tags: ['long'],
}, async () => {
  const release = Promise.withResolvers<void>()
  answerWith = async (reference) => {
    await release.promise
    return { kind: 'redirect', url: `https://bank.example/${reference}` }
  }
  const first = post('held')
  await expect.poll(() => pages.length).toBe(1)
  const second = await post('held')
  release.resolve()
  expect([second.status, second.body.error.code, second.headers.get('retry-after')]).toEqual([
    503,
    'request_in_progress',
    '2',
  ])
  expect([(await first).status, (await post('held')).status, pages.length]).toEqual([201, 200, 1])
})
