/** Somebody who tries stolen cards, and real buyers beside him. The simulated bank declines every card of the tester. */
import { beforeEach, describe, expect, test } from 'vitest'
import { call, createLink, linkRequest } from '../../testing/calls.ts'
import { openShop, SHOP_ORIGIN, type Shop } from '../../testing/harness.ts'
import { openKassa } from '../../testing/scene.ts'

const CARDS = 30
const FREE = 6
const SHOP_FREE = 12
const MINUTE_MS = 60_000

let shop: Shop
let links = 0
const kassa = await openKassa({
  // Only the limits of declines stop anybody here, and they gain nothing while a test runs.
  settings: {
    TRUST_PROXY: '1',
    RATE_LIMITS: [
      'page=100000:100000,return=100000:100000,widget_caller=100000:100000,widget_address=100000:100000,widget_key=100000:100000',
      `declines_address=0.0016:${FREE},declines_shop=0.0001:${SHOP_FREE}`,
    ].join(),
  },
})
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
})

const visit = (url: string, from: string, method = 'GET', form?: URLSearchParams) =>
  fetch(url, {
    method,
    redirect: 'manual',
    headers: { 'x-forwarded-for': from, 'sec-fetch-site': 'same-origin' },
    ...(form && { body: form }),
  })

async function openLink(): Promise<string> {
  const key = `link-${++links}`
  const { body } = await createLink(kassa.url, shop, { key, body: linkRequest({ description: key }) })
  return body.paymentId
}

/** Goes on from the payment's page and types a card. Returns where the browser ends, or null if no order was opened. */
async function pay(id: string, from: string, outcome: 'paid' | 'declined'): Promise<string | null> {
  const pressed = await visit(`${kassa.url}/checkout/${id}/continue`, from, 'POST')
  const bank = pressed.headers.get('location') ?? ''
  if (!bank.includes('/sandbox/bank/')) return null
  await visit(bank, from)
  const chosen = await visit(bank.split('?')[0] ?? '', from, 'POST', new URLSearchParams({ outcome }))
  const back = await visit(chosen.headers.get('location') ?? '', from)
  return back.headers.get('location') ?? ''
}

const statusOf = async (id: string) =>
  (await kassa.ctx.db.query('select status from sandbox.payments where id = $1', [id])).rows[0].status
const ordersOf = async (id: string) =>
  (await kassa.ctx.db.query('select count(*)::int as n from sandbox.attempts where payment_id = $1', [id]))
    .rows[0].n
const pageOf = async (id: string, from: string) => {
  const html = await (await visit(`${kassa.url}/checkout/${id}`, from)).text()
  return html.replaceAll(/nonce="[^"]*"/g, '')
}

/** A buyer at another address mistypes twice and then pays. */
async function buyLikeAnybody(from: string): Promise<void> {
  const id = await openLink()
  const pages: string[] = []
  for (let wrong = 0; wrong < 2; wrong++) {
    expect(await pay(id, from, 'declined')).toContain(`/checkout/${id}`)
    pages.push(await pageOf(id, from))
  }
  expect(pages[1]).toBe(pages[0])
  expect(await pay(id, from, 'paid')).not.toBeNull()
  expect(await statusOf(id)).toBe('paid')
}

describe(`a tester of ${CARDS} cards on a pay link`, () => {
  test('has a few orders at the bank, sees the page of an ordinary decline, and a real buyer beside notices nothing', async () => {
    const id = await openLink()
    let reached = 0
    let firstPage = ''
    for (let card = 0; card < CARDS; card++) {
      if ((await pay(id, '192.0.2.66', 'declined')) !== null) reached++
      if (card === 0) firstPage = await pageOf(id, '192.0.2.66')
      if (card === CARDS / 2) await buyLikeAnybody('192.0.2.7')
    }
    expect([reached, await ordersOf(id)]).toEqual([FREE, FREE])
    expect(await pageOf(id, '192.0.2.66')).toBe(firstPage)
    await buyLikeAnybody('192.0.2.8')
  })

  test('is not helped by an address of his own for each card', { tags: ['long'] }, async () => {
    const id = await openLink()
    let reached = 0
    for (let card = 0; card < 24; card++)
      if ((await pay(id, `198.51.100.${card}`, 'declined')) !== null) reached++
    expect(reached).toBe(FREE)
    await buyLikeAnybody('192.0.2.9')
  })

  test('may go on after a while, once in ten minutes', { tags: ['long'] }, async () => {
    const id = await openLink()
    for (let card = 0; card < FREE + 2; card++) await pay(id, `203.0.113.${card}`, 'declined')
    expect(await pay(id, '203.0.113.100', 'declined')).toBeNull()
    kassa.clock.advance(11 * MINUTE_MS)
    expect(await pay(id, '203.0.113.101', 'declined')).not.toBeNull()
    expect(await pay(id, '203.0.113.102', 'declined')).toBeNull()
  })
})

test('a card that was declined often is stopped at its second try, at any address and for any payment', async () => {
  const { driver } = kassa.ctx.routes.route_a
  if (!driver?.lookUp) throw new Error('the bank must be asked')
  const { lookUp } = driver
  let last4 = '4242'
  kassa.ctx.routes.route_a.driver = {
    ...driver,
    async lookUp(...given: Parameters<typeof lookUp>) {
      const answer = await lookUp(...given)
      if (answer.kind !== 'found' || answer.snapshot.order !== 'declined') return answer
      const instrument = { kind: 'card', brand: 'visa', last4 } as const
      return { ...answer, snapshot: { ...answer.snapshot, instrument } }
    },
  } as typeof driver
  try {
    for (let guess = 0; guess < FREE; guess++)
      expect(await pay(await openLink(), `203.0.115.${guess}`, 'declined')).not.toBeNull()
    const id = await openLink()
    expect(await pay(id, '203.0.115.100', 'declined')).not.toBeNull()
    expect(await pay(id, '203.0.115.100', 'declined')).toBeNull()
    last4 = '1881'
    await buyLikeAnybody('203.0.115.101')
  } finally {
    kassa.ctx.routes.route_a.driver = driver
  }
})

describe('a tester at a button, with a new payment for each card', () => {
  const click = (clientReference: string, from: string) =>
    call(`${kassa.url}/api/widget/checkout`, {
      headers: { origin: SHOP_ORIGIN, 'x-forwarded-for': from },
      body: { publicKey: shop.publicKey, productId: 'tea', clientReference, returnUrl: '/thanks' },
    })

  test('of one address has a few orders at the bank, and others none the less', async () => {
    const statuses: number[] = []
    for (let card = 0; card < 16; card++) {
      const { status, body } = await click(`card-${card}`, '192.0.2.77')
      statuses.push(status)
      if (status === 201) await pay(body.paymentId, '192.0.2.77', 'declined')
      else expect(body.error.code).toBe('rate_limited')
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(FREE)
    const { body } = await click('of a buyer', '192.0.2.78')
    expect(await pay(body.paymentId, '192.0.2.78', 'paid')).not.toBeNull()
  })

  test('while a shop has many declines, three of one’s own are enough, and two are not', async () => {
    for (let card = 0; card < SHOP_FREE; card++) {
      const { body } = await click(`many-${card}`, `203.0.114.${card}`)
      await pay(body.paymentId, `203.0.114.${card}`, 'declined')
    }
    const statuses: number[] = []
    for (let card = 0; card < 6; card++) {
      const { status, body } = await click(`more-${card}`, '192.0.2.88')
      statuses.push(status)
      if (status === 201) await pay(body.paymentId, '192.0.2.88', 'declined')
    }
    expect(statuses).toEqual([201, 201, 201, 429, 429, 429])
    await buyLikeAnybody('192.0.2.89')
  })
})
