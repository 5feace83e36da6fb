/** The simulated bank's customers: credentials, rotation, their own records, and keys that are remembered for a day. */
import { afterAll, describe, expect, test } from 'vitest'
import { nameOfSecret, orderUrl } from '../../providers/sandbox/wire.ts'
import { startMemoryBank } from '../../testing/providers/memory-bank.ts'
import { KEY_LIFETIME_MS } from './writes.ts'

let aheadMs = 0
const now = () => new Date(Date.now() + aheadMs)
const memory = await startMemoryBank(now, async () => ({ kind: 'answered', statusCode: 200 }))
const { bank, origin } = memory
const { customers } = bank
afterAll(() => memory.close())

async function ask(
  customer: string,
  secret: string,
  path: string,
  { method = 'GET', key = '', body = {} } = {},
) {
  const authorization = `Basic ${Buffer.from(`${customer}:${secret}`).toString('base64')}`
  const headers = { authorization, ...(key && { 'idempotency-key': key }) }
  const sent = method === 'GET' ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(`${origin}/bank/api/${path}`, { method, headers, ...sent })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

let orders = 0
async function pay(customer: string, reference = `order-${++orders}`): Promise<string> {
  const terms = { reference, merchantName: 'Teahouse', amountMinor: 1900, currency: 'USD' as const }
  const order = { ...terms, returnUrl: 'https://shop.example/', twoStep: false }
  const url = new URL(orderUrl(`${origin}/bank`, customer, customers.secretOf(customer), order))
  await bank.arrive({ customer, reference }, url.searchParams.get('order') ?? '', now())
  await bank.choose({ customer, reference }, 'paid', now())
  return reference
}

describe('credentials', () => {
  test('that are missing, made up or of another customer are rejected', async () => {
    const right = customers.secretOf('shop')
    expect((await ask('shop', right, 'customer')).body).toEqual({ customer: 'shop', mode: 'test' })
    const wrong = [
      '',
      'x',
      customers.secretOf('other'),
      `${right}0`,
      nameOfSecret(right),
      right.replace('_1_', '_2_'),
    ]
    for (const secret of wrong) expect((await ask('shop', secret, 'customer')).status).toBe(401)
    expect((await ask('', right, 'customer')).status).toBe(401)
  })

  test('are rotated without a gap: both are accepted until the old one is withdrawn', async () => {
    const [old, next] = [customers.secretOf('rotating', 1), customers.secretOf('rotating', 2)]
    for (const secret of [old, next, old])
      expect((await ask('rotating', secret, 'customer')).status).toBe(200)
    const signed = (await customers.signaturesOf('rotating', '{}')).split(',')
    expect(signed.map((each) => each.split('=')[0])).toEqual(['bks_test_1', 'bks_test_2'])
    await customers.withdrawSecretsBefore('rotating', 2)
    expect((await ask('rotating', old, 'customer')).status).toBe(401)
    expect((await ask('rotating', next, 'customer')).status).toBe(200)
    expect(await customers.signaturesOf('rotating', '{}')).toMatch(/^bks_test_2=[0-9a-f]{64}$/)
  })
})

test('each customer has its own orders, also under the same number', async () => {
  await pay('one', 'same')
  await pay('two', 'same')
  const refund = { method: 'POST', body: { amountMinor: 500 } }
  expect((await ask('one', customers.secretOf('one'), 'orders/same/refunds', refund)).body.result).toBe(
    'done',
  )
  const own = await ask('two', customers.secretOf('two'), 'orders/same')
  expect(own.body).toMatchObject({ capturedMinor: 1900, refundedMinor: 0 })
  expect((await ask('three', customers.secretOf('three'), 'orders/same')).status).toBe(404)
})

test('an order that another customer has sealed is unknown', async () => {
  const terms = { reference: 'stolen', merchantName: 'T', amountMinor: 1, currency: 'USD' as const }
  const order = { ...terms, returnUrl: 'https://shop.example/', twoStep: false }
  const url = new URL(orderUrl(`${origin}/bank`, 'shop', customers.secretOf('other'), order))
  const sealed = url.searchParams.get('order') ?? ''
  expect(await bank.arrive({ customer: 'shop', reference: 'stolen' }, sealed, now())).toBeNull()
})

test('a write with a key is done once, until the bank forgets the key', async () => {
  const reference = await pay('keyed')
  const secret = customers.secretOf('keyed')
  const refund = (amountMinor: number) =>
    ask('keyed', secret, `orders/${reference}/refunds`, { method: 'POST', key: 'k1', body: { amountMinor } })
  const first = await refund(500)
  expect(await refund(500)).toEqual(first)
  expect((await refund(600)).body.result).toBe('refused')
  expect((await ask('keyed', secret, `orders/${reference}`)).body.refundedMinor).toBe(500)
  aheadMs += KEY_LIFETIME_MS + 1_000
  await refund(500)
  expect((await ask('keyed', secret, `orders/${reference}`)).body.refundedMinor).toBe(1000)
})

test("an order's address carries the callback address, and no buyer can read it there", async () => {
  const terms = { reference: 'private', merchantName: 'T', amountMinor: 1, currency: 'USD' as const }
  const callbackUrl = 'https://kassa.example/callbacks/acc_test_hidden'
  const order = { ...terms, returnUrl: 'https://shop.example/', twoStep: false, callbackUrl }
  const at = { customer: 'shop', reference: 'private' }
  const url = orderUrl(`${origin}/bank`, 'shop', customers.secretOf('shop'), order)
  const sealed = new URL(url).searchParams.get('order') ?? ''
  const seen = [url, ...sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))]
  expect(seen.filter((each) => /callbacks|acc_test/.test(each))).toEqual([])
  expect(await bank.arrive(at, sealed, now())).toMatchObject({ callbackUrl })

  const [text = '', name, seal = ''] = sealed.split('.')
  const changed = `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`
  for (const bad of [
    `${changed}.${name}.${seal}`,
    `${text}.${name}.${seal.slice(1)}`,
    `${text}.${name}.`,
    '',
    '..',
  ])
    expect([bad, await bank.arrive(at, bad, now())]).toEqual([bad, null])
})
