/** A callback can be forged, repeated, late, about another account's order, or malformed. Only a look-up at the provider counts. */
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ProviderRoute } from '../contract/fields.ts'
import { setBankScene } from '../testing/providers/bank-scene.ts'
import { openKassa } from '../testing/scene.ts'
import { serveHere } from '../testing/serve-here.ts'

const kassa = await openKassa()
const { open, pay, payment, referenceOf, status, path, writeAtBank } = await setBankScene(kassa)

const SECRET = kassa.ctx.sandbox.bank.customers.secretOf('kassa')
const sign = (body: string, secret: string | Buffer = SECRET) =>
  `bks_test_1=${createHmac('sha256', secret).update(`sandbox-callback.${body}`).digest('hex')}`

const accountOf = (route: ProviderRoute) => kassa.ctx.routes[route].id

async function callBack(
  body: string,
  {
    signature = sign(body),
    account = accountOf('route_a'),
    url = kassa.url,
  }: { signature?: string | null; account?: string; url?: string } = {},
): Promise<number> {
  const headers = signature === null ? {} : { 'x-bank-signature': signature }
  return (await fetch(`${url}/callbacks/${account}`, { method: 'POST', headers, body })).status
}
const words = (reference: string, event = 'captured') =>
  JSON.stringify({ reference, event, at: '2026-01-01T00:00:00.000Z' })

/** Creates an order that is paid at the bank, while Kassa does not know it yet. */
async function paidInSilence(): Promise<{ id: string; reference: string }> {
  const { id, providerCheckoutUrl } = await open()
  await fetch(providerCheckoutUrl)
  const reference = await referenceOf(id)
  await kassa.ctx.sandbox.bank.choose({ customer: 'kassa', reference }, 'paid', kassa.clock.now())
  return { id, reference }
}

describe('a callback', () => {
  test('causes a look-up at the provider, and gets its response after the look-up', async () => {
    const { id, reference } = await paidInSilence()
    expect(await callBack(words(reference))).toBe(200)
    expect(await status(id)).toBe('paid')
  })

  test('that arrives ten times at once makes one change', async () => {
    const { id, reference } = await paidInSilence()
    const answers = await Promise.all(Array.from({ length: 10 }, () => callBack(words(reference))))
    expect(new Set(answers)).toEqual(new Set([200]))
    expect(await path(id)).toEqual(['paid'])
  })

  test('about a payment that the look-up does not confirm changes nothing', async () => {
    const { id, providerCheckoutUrl } = await open()
    await fetch(providerCheckoutUrl)
    expect(await callBack(words(await referenceOf(id)))).toBe(200)
    expect(await status(id)).not.toBe('paid')
    expect((await payment(id)).capturedMinor).toBe(0)
  })

  test('that arrives late, after newer ones, undoes nothing', async () => {
    const id = await pay()
    await writeAtBank(id, 'refund', 500)
    const reference = await referenceOf(id)
    for (const event of ['refunded', 'captured', 'approved', 'declined'])
      expect(await callBack(words(reference, event))).toBe(200)
    expect(await path(id)).toEqual(['paid', 'partially_refunded'])
  })

  test('is stored if the provider does not respond, and the payment is looked up again later', async () => {
    const { id, reference } = await paidInSilence()
    const { route_a: route } = kassa.ctx.routes
    const lookUp = async () => Promise.reject(new Error('away'))
    kassa.ctx.routes.route_a = { ...route, driver: { ...route.driver, lookUp } as typeof route.driver }
    expect(await callBack(words(reference))).toBe(200)
    kassa.ctx.routes.route_a = route
    const {
      attempt: { questionDueAt },
    } = await payment(id)
    expect(questionDueAt?.getTime()).toBeLessThanOrEqual(kassa.clock.now().getTime())
  })
})

describe('a forged callback is rejected', () => {
  const FORGERIES: [string, (body: string) => { signature?: string | null; body?: string }][] = [
    ['without a signature', () => ({ signature: null })],
    ['with an empty one', () => ({ signature: '' })],
    ['with one of the right length', () => ({ signature: `bks_test_1=${'a'.repeat(64)}` })],
    ['with one that names no secret', (body) => ({ signature: sign(body).slice('bks_test_1='.length) })],
    [
      "with another customer's secret",
      (body) => ({ signature: sign(body, kassa.ctx.sandbox.bank.customers.secretOf('somebody')) }),
    ],
    ['with one made with another key', (body) => ({ signature: sign(body, Buffer.alloc(32, 1)) })],
    ['with one of other words', () => ({ signature: sign(words('another')) })],
    [
      'with a body changed after signing',
      (body) => ({ signature: sign(body), body: body.replace('captured', 'Captured') }),
    ],
    ['with a byte more', (body) => ({ signature: sign(body), body: `${body} ` })],
    ['with the signature cut short', (body) => ({ signature: sign(body).slice(0, -2) })],
    [
      'with the signature of the address that opens an order',
      (body) => ({
        signature: `bks_test_1=${createHmac('sha256', SECRET).update(`sandbox-bank.${body}`).digest('hex')}`,
      }),
    ],
    ['with upper-case hex', (body) => ({ signature: sign(body).toUpperCase() })],
    ['with two signatures in one', (body) => ({ signature: `${sign(body)}; ${sign(body)}` })],
  ]
  test.each(FORGERIES)('%s', async (_name, forge) => {
    const { id, reference } = await paidInSilence()
    const body = words(reference)
    const forged = forge(body)
    expect(await callBack(forged.body ?? body, { signature: forged.signature ?? null })).toBe(403)
    expect(await status(id)).toBe('pending_redirect')
  })
})

describe('a genuine callback', () => {
  test('about an unknown order is 404', async () => {
    expect(await callBack(words('nobody'))).toBe(404)
  })

  test('about an order of another account is 404, and changes nothing', async () => {
    const { id, reference } = await paidInSilence()
    expect(await callBack(words(reference), { account: accountOf('route_b') })).toBe(404)
    expect(await status(id)).toBe('pending_redirect')
  })
})

test.each([
  'route_a',
  'acc_route_a',
  'acc_test_route_a',
  accountOf('manual'),
  accountOf('route_e'),
  'acc_test_0',
  '__proto__',
  'constructor',
])('an address that takes no callbacks is 404: %s', async (account) => {
  expect(await callBack(words('x'), { account })).toBe(404)
})

test('a body of 256 KB is read, a larger one is 413, another method is 405', async () => {
  const limit = 256 * 1024
  expect(await callBack('x'.repeat(limit), { signature: 'none' })).toBe(403)
  expect(await callBack('x'.repeat(limit + 1), { signature: 'none' })).toBe(413)
  expect((await fetch(`${kassa.url}/callbacks/${accountOf('route_a')}`, { method: 'PUT' })).status).toBe(405)
})

test('a flood from one address is 429', async () => {
  const limited = await serveHere({
    DATABASE_URL: kassa.databaseUrl,
    PROCESS: 'web',
    RATE_LIMITS: 'callback=0.1:5',
  })
  try {
    const answers: number[] = []
    for (let index = 0; index < 8; index++) answers.push(await callBack(words('x'), { url: limited.url }))
    expect(answers).toEqual([404, 404, 404, 404, 404, 429, 429, 429])
  } finally {
    await limited.stop()
  }
})
