import { describe, expect, test } from 'vitest'
import { clickWidget, createSession, payAtBank, sessionRequest } from '../../../testing/calls.ts'
import { openShop } from '../../../testing/harness.ts'
import { operateHere, operateJson, operateProcess } from '../../../testing/operator.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../../testing/payments/subscriptions.ts'
import { openScene } from '../../../testing/scene.ts'

const { kassa, shop } = await openScene()
const settings = { DATABASE_URL: kassa.databaseUrl }
const of = ['--merchant', shop.merchantId]

/** Runs a command in this process and returns its output. */
function read(...args: string[]) {
  return operateHere(async () => kassa.ctx, args)
}

test('payments are listed newest first and page by page, each once', async () => {
  const orders = ['page-1', 'page-2', 'page-3']
  const ids: string[] = []
  for (const merchantOrderId of orders)
    ids.unshift((await createSession(kassa.url, shop, { body: sessionRequest({ merchantOrderId }) })).body.id)
  const first = await operateJson(settings, ['payment', 'list', ...of, '--limit', '2'])
  expect(first.answer.payments.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
  expect(first.answer.next).toBe(ids[1])
  const second = await operateJson(settings, [
    'payment',
    'list',
    ...of,
    '--limit',
    '1',
    '--after',
    ids[1] ?? '',
  ])
  expect(second.answer.payments).toMatchObject([{ id: ids[2], merchantOrderId: 'page-1' }])
  const last = await operateJson(settings, ['payment', 'list', ...of, '--limit', '500'])
  expect(last.answer.next).toBeNull()
  const text = await read('payment', 'list', '--limit', '1')
  expect(text.stdout).toContain(`payment list --limit 1 --after ${ids[0]}`)
})

test('a payment can be found by its order, and the list shows the product that a button sold', async () => {
  const body = sessionRequest({ merchantOrderId: "order 7's" })
  const { id } = (await createSession(kassa.url, shop, { body })).body
  const byOrder = await read('payment', 'list', '--order', "order 7's", '--json')
  expect(JSON.parse(byOrder.stdout).payments.map((each: { id: string }) => each.id)).toEqual([id])
  const sold = await clickWidget(kassa.url, shop)
  const listed = await read('payment', 'list', ...of)
  expect(listed.stdout).toMatch(new RegExp(`${sold.body.paymentId} .* tea\n`))
})

test('receipts that need a person are listed first', async () => {
  const { id, providerCheckoutUrl } = (
    await createSession(kassa.url, shop, { body: sessionRequest({ merchantOrderId: 'receipt-1' }) })
  ).body
  await payAtBank(providerCheckoutUrl, 'paid')
  const newer = await createSession(kassa.url, shop, {
    body: sessionRequest({ merchantOrderId: 'receipt-2' }),
  })
  await payAtBank(newer.body.providerCheckoutUrl, 'paid')
  await kassa.ctx.db.query(
    `update sandbox.receipts set status = 'failed', due_at = null where payment_id = $1`,
    [id],
  )
  const list = async (...args: string[]) =>
    JSON.parse((await read('receipt', 'list', ...args, '--json')).stdout)
  const { receipts } = await list(...of)
  expect(receipts.map(({ paymentId }: { paymentId: string }) => paymentId)).toEqual([id, newer.body.id])
  expect((await list('--status', 'waiting')).receipts).toHaveLength(1)
  expect((await read('receipt', 'list')).stdout).toContain('receipt resolve')
})

test('routes are listed with their drivers and their missing settings', async () => {
  const { answer } = await operateJson({ ...settings, ROUTE_B_DRIVER: 'nosuch' }, ['route', 'list'])
  expect(answer.routes).toHaveLength(6)
  expect(answer.routes).toMatchObject([
    { route: 'route_a', driver: 'sandbox', ready: true, default: true, missingEnv: [] },
    {
      route: 'route_b',
      driver: 'nosuch',
      ready: false,
      missingEnv: [],
      reason: expect.stringContaining('must be one of sandbox'),
    },
    { route: 'route_c' },
    { route: 'route_d' },
    { route: 'route_e', driver: null, ready: false, missingEnv: ['ROUTE_E_DRIVER'] },
    { route: 'manual', driver: 'manual', ready: true },
  ])
  const text = await read('route', 'list')
  expect(text.stdout).toMatch(/route_e +- +not ready +.*Set ROUTE_E_DRIVER/)
})

test('payment ask asks the provider at once, also where only the service itself is reached', {
  tags: ['long'],
}, async () => {
  const { id, providerCheckoutUrl } = (
    await createSession(kassa.url, shop, { body: sessionRequest({ merchantOrderId: 'paid-unseen' }) })
  ).body
  await fetch(providerCheckoutUrl)
  // The buyer pays at the bank and closes the browser there.
  const body = new URLSearchParams({ outcome: 'paid' })
  await fetch(providerCheckoutUrl.split('?')[0], { method: 'POST', body, redirect: 'manual' })
  const behindProxy = { BASE_URL: 'https://pay.nowhere.example', PORT: new URL(kassa.url).port }
  const answer = await operateProcess({ ...settings, ...behindProxy }, ['payment', 'ask', '--payment', id])
  expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining('It is paid.') })
})

describe('subscriptions', () => {
  test('a subscription can be listed by its status, and is shown with its attempts', async () => {
    const shop = await openShop(kassa.ctx)
    const tokenId = await openToken(kassa.url, shop, 'saved_then_declines')
    const { body } = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
    await sweep(kassa)
    const { id } = body.subscription
    const listed = await operateHere(
      async () => kassa.ctx,
      ['subscription', 'list', '--status', 'past_due', '--json'],
    )
    expect(JSON.parse(listed.stdout).subscriptions.map((each: { id: string }) => each.id)).toEqual([id])
    const shown = await operateHere(async () => kassa.ctx, ['subscription', 'show', '--subscription', id])
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringMatching(/past_due[\s\S]*19\.00[\s\S]*failed/),
    ])
    const unknown = await operateHere(
      async () => kassa.ctx,
      ['subscription', 'show', '--subscription', 'sub_0'],
    )
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('There is no subscription sub_0.'),
    ])
  })
})
