/**
 * A bank that tells the results of refunds and captures only in letters, in a whole service: an operation ends by its letter, in whatever
 * order and however often letters arrive, and a refund is sent once.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { storeResult } from '../../../payments/callbacks/result.ts'
import { writeNameOf } from '../../../payments/named-refund.ts'
import { DRIVERS } from '../../../providers/registry.ts'
import { listEntries } from '../../../storage/payments/entries.ts'
import { listPaymentOperations } from '../../../storage/payments/operations.ts'
import { listPaymentWarnings } from '../../../storage/payments/payment-warnings.ts'
import { findPayment } from '../../../storage/payments/payments.ts'
import { SWEEPS } from '../../../worker/sweeps.ts'
import { askOperation, createSession, sessionRequest } from '../../calls.ts'
import { openShop } from '../../harness.ts'
import { closeAfter, openKassa } from '../../scene.ts'
import { routeSettings } from '../route-settings.ts'
import { courierDriver } from './courier.ts'
import { type Letter, startCourier } from './courier-server.ts'

const SECRET = 'local-test-secret'
const HOUR_MS = 3_600_000
DRIVERS.courier = { driver: courierDriver, settings: courierDriver.settings }
const bank = closeAfter(await startCourier({ secret: SECRET, isQuick: false }))
const own = { DRIVER: 'courier', ADDRESS: bank.address, SECRET, OPERATIONS: 'enabled' }
const settings = {
  ...routeSettings('ROUTE_A', { ...own, LOGIN: 'tea' }),
  ...routeSettings('ROUTE_B', { ...own, LOGIN: 'holds', STEPS: 'two' }),
}
const kassa = await openKassa({ settings })
const shop = await openShop(kassa.ctx)
afterAll(async () => {
  delete DRIVERS.courier
})

async function post({ body, headers }: Letter, route: 'route_a' | 'route_b' = 'route_a'): Promise<number> {
  const at = `${kassa.url}/callbacks/${kassa.ctx.routes[route].id}`
  return (await fetch(at, { method: 'POST', body, headers })).status
}

let keys = 0
async function pay(provider: 'route_a' | 'route_b' = 'route_a') {
  const key = `letters-${++keys}`
  const { body } = await createSession(kassa.url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key, amountMinor: 1900, provider }),
  })
  const id = body.id as string
  const number = (await stored(id)).attempt.reference
  bank.pay(number)
  const paid = bank.letters.at(-1)
  if (paid) expect(await post(paid, provider)).toBe(200)
  return { id, number }
}
async function stored(id: string) {
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  if (!payment) throw new Error('no such payment')
  return payment
}
const ask = async (id: string, what: 'refunds' | 'capture', amountMinor: number) => {
  const answer = await askOperation(kassa.url, shop, id, what, {
    key: `${id}-${what}-${++keys}`,
    body: { amountMinor, reason: 'returned' },
  })
  expect(answer.status).toBe(201)
  await work()
}
const work = () => SWEEPS.moneyOperations(kassa.ctx)
const writesOf = (number: string) => bank.writes.filter((each) => each.number === number)
const lastOf = (number: string) => writesOf(number).at(-1)?.id ?? ''
const operationsOf = async (id: string) =>
  (await listPaymentOperations(kassa.ctx.db, shop.merchantId, id, 1)).map(({ status }) => status)
const entriesOf = async (id: string, of: string) =>
  (await listEntries(kassa.ctx.db, await stored(id))).filter(({ kind }) => kind === of)

describe('a refund', () => {
  test('waits for its letter, however long, and ends by it', async () => {
    const { id, number } = await pay()
    await ask(id, 'refunds', 700)
    expect(writesOf(number)).toHaveLength(1)
    for (let day = 0; day < 4; day++) {
      kassa.clock.advance(24 * HOUR_MS)
      await work()
    }
    expect([await operationsOf(id), (await stored(id)).refundedMinor]).toEqual([['processing'], 0])

    expect(await post(bank.finish(lastOf(number)))).toBe(200)
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 700 })
    await work()
    expect(await operationsOf(id)).toEqual(['succeeded'])
    expect(writesOf(number)).toHaveLength(1)
  })

  test('whose letter arrives ten times at once is entered once', async () => {
    const { id, number } = await pay()
    await ask(id, 'refunds', 700)
    const letter = bank.finish(lastOf(number))
    const statuses = await Promise.all(Array.from({ length: 10 }, () => post(letter)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    await work()
    expect(await entriesOf(id, 'refunded')).toHaveLength(1)
    expect([await operationsOf(id), (await stored(id)).refundedMinor]).toEqual([['succeeded'], 700])
  })

  test('that the bank did not do fails, and its amount can be refunded again', async () => {
    const { id, number } = await pay()
    await ask(id, 'refunds', 1900)
    await post(bank.finish(lastOf(number), 'failed'))
    await work()
    expect([await operationsOf(id), (await stored(id)).status]).toEqual([['failed'], 'paid'])
    await ask(id, 'refunds', 1900)
    await post(bank.finish(lastOf(number)))
    await work()
    expect([await operationsOf(id), (await stored(id)).status]).toEqual([['failed', 'succeeded'], 'refunded'])
    expect(bank.refundedOf(number)).toBe(1900)
  })
})

describe('a refund with an odd course', () => {
  test('that fails after it was done is taken back, and an older letter that comes late changes nothing', async () => {
    const { id, number } = await pay()
    await ask(id, 'refunds', 700)
    const [pending, done] = [bank.finish(lastOf(number), 'pending'), bank.finish(lastOf(number))]
    await post(done)
    await work()
    await post(bank.finish(lastOf(number), 'failed'))
    expect(await stored(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
    expect(await operationsOf(id)).toEqual(['failed'])
    for (const late of [pending, done]) expect(await post(late)).toBe(200)
    expect(await stored(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
    expect(await operationsOf(id)).toEqual(['failed'])
  })

  test('whose answer was lost is not sent again, and a person decides what its letter means', async () => {
    const { id, number } = await pay()
    bank.lose('refund')
    await ask(id, 'refunds', 700)
    expect(writesOf(number)).toHaveLength(1)
    await post(bank.finish(lastOf(number)))
    for (let hours = 0; hours < 30; hours++) {
      kassa.clock.advance(HOUR_MS)
      await work()
    }
    expect(writesOf(number)).toHaveLength(1)
    expect([await operationsOf(id), (await stored(id)).refundedMinor]).toEqual([
      ['requires_operator_review'],
      700,
    ])
  })

  test('that somebody made at the bank counts, and the next one of ours is not taken for it', async () => {
    const { id, number } = await pay()
    const other = { number, event: 'refund', id: 'by-hand', state: 'done', amount: '700' }
    expect(await post(bank.write(other))).toBe(200)
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 700 })
    await ask(id, 'refunds', 700)
    expect(await operationsOf(id)).toEqual(['processing'])
    await post(bank.finish(lastOf(number)))
    await work()
    expect([await operationsOf(id), (await stored(id)).refundedMinor]).toEqual([['succeeded'], 1400])
  })
})

describe('a refund that letters name in several ways', () => {
  type Name = { key?: string; id?: string }
  async function named() {
    const { id, number } = await pay()
    const tell = async (name: Name, amountMinor = 700) => {
      const about = { kind: 'result', write: 'refund', reference: number, state: 'done' } as const
      return storeResult(kassa.ctx, await stored(id), { ...about, ...name, amountMinor, currency: 'USD' })
    }
    const learn = async () => {
      await SWEEPS.statusSync(kassa.ctx)
      await SWEEPS.settledSync(kassa.ctx)
      await work()
      return (await stored(id)).refundedMinor
    }
    const names = async () => {
      const [operation] = await listPaymentOperations(kassa.ctx.db, shop.merchantId, id, 1)
      if (!operation) throw new Error('no refund was asked for')
      return { key: writeNameOf(operation).key, id: lastOf(number) }
    }
    return { id, tell, learn, names }
  }

  test('first by our name and then by the bank’s counts once, because our operation has both', async () => {
    const { id, tell, learn, names } = await named()
    await ask(id, 'refunds', 700)
    const both = await names()
    for (const name of [{ key: both.key }, { id: both.id }]) expect(await tell(name)).toBe(true)
    expect(await learn()).toBe(700)
    expect(await operationsOf(id)).toEqual(['succeeded'])
  })

  test('counts once as soon as a letter has both names', async () => {
    const { id, tell, learn, names } = await named()
    bank.lose('refund')
    await ask(id, 'refunds', 700)
    const both = await names()
    for (const name of [{ id: both.id }, { key: both.key }, both]) expect(await tell(name)).toBe(true)
    expect(await learn()).toBe(700)
  })

  test('with different amounts is no refund for a letter that has both names', async () => {
    const { tell } = await named()
    expect(await tell({ key: 'ours' }, 500)).toBe(true)
    expect(await tell({ id: 'theirs' }, 700)).toBe(true)
    expect(await tell({ key: 'ours', id: 'theirs' }, 500)).toBe(false)
  })
})

describe('a capture', () => {
  test('ends by its letter, with what was taken', async () => {
    const { id, number } = await pay('route_b')
    expect((await stored(id)).status).toBe('authorized')
    await ask(id, 'capture', 1500)
    expect([await operationsOf(id), (await stored(id)).status]).toEqual([['processing'], 'authorized'])
    await post(bank.finish(lastOf(number)), 'route_b')
    await work()
    expect(await operationsOf(id)).toEqual(['succeeded'])
    expect(await stored(id)).toMatchObject({ status: 'paid', capturedMinor: 1500 })
  })

  test('that the bank did not do fails, and the hold stays', async () => {
    const { id, number } = await pay('route_b')
    await ask(id, 'capture', 1900)
    await post(bank.finish(lastOf(number), 'failed'), 'route_b')
    await work()
    expect([await operationsOf(id), (await stored(id)).status]).toEqual([['failed'], 'authorized'])
  })
})

describe('a letter', () => {
  test('that was stored by a process that died is applied by the worker', async () => {
    const { id, number } = await pay()
    await ask(id, 'refunds', 700)
    const result = { kind: 'result', write: 'refund', reference: number, id: lastOf(number) } as const
    const report = { ...result, state: 'done', amountMinor: 700, currency: 'USD' } as const
    expect(await storeResult(kassa.ctx, await stored(id), report)).toBe(true)
    expect((await stored(id)).refundedMinor).toBe(0)
    await SWEEPS.statusSync(kassa.ctx)
    await work()
    expect([await operationsOf(id), (await stored(id)).refundedMinor]).toEqual([['succeeded'], 700])
  })

  test('about a refund of somebody else, stored by a process that died, is applied by the worker', async () => {
    const { id, number } = await pay()
    const result = { kind: 'result', write: 'refund', reference: number, id: `by-hand ${number}` } as const
    const report = { ...result, state: 'done', amountMinor: 700, currency: 'USD' } as const
    expect(await storeResult(kassa.ctx, await stored(id), report)).toBe(true)
    await SWEEPS.settledSync(kassa.ctx)
    expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 700 })
  })

  test('is kept while the bank cannot be asked', async () => {
    const { id, number } = await pay()
    await ask(id, 'refunds', 700)
    bank.refusing = 'status'
    expect(await post(bank.finish(lastOf(number)))).toBe(200)
    bank.refusing = null
    kassa.clock.advance(HOUR_MS)
    await SWEEPS.statusSync(kassa.ctx)
    await work()
    expect([await operationsOf(id), (await stored(id)).refundedMinor]).toEqual([['succeeded'], 700])
  })
})

describe('a letter that cannot be true', () => {
  test('that is not signed changes nothing', async () => {
    const { id, number } = await pay()
    await ask(id, 'refunds', 700)
    const letter = bank.finish(lastOf(number))
    expect(await post({ ...letter, body: letter.body.replace('700', '1900') })).toBe(403)
    await work()
    expect([await operationsOf(id), (await stored(id)).refundedMinor]).toEqual([['processing'], 0])
  })

  test('that contradicts an earlier one is refused, and a person learns of it', async () => {
    const { id, number } = await pay()
    await ask(id, 'refunds', 700)
    await post(bank.finish(lastOf(number)))
    const same = { number, event: 'refund', id: lastOf(number), state: 'done' }
    expect(await post(bank.write({ ...same, amount: '900' }))).toBe(404)
    expect(await post(bank.write({ ...same, id: 'odd', amount: '0' }))).toBe(404)
    expect((await stored(id)).refundedMinor).toBe(700)
    const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, id)
    expect(warnings.map(({ detail }) => detail).join()).toContain('was 700 before, and is 900 now')
  })

  test('of more than was taken leaves no negative sum, and is not lost', async () => {
    const { id, number } = await pay()
    const all = { number, event: 'refund', id: 'much', state: 'done', amount: '2500' }
    expect(await post(bank.write(all))).toBe(200)
    const { refundedMinor, capturedMinor } = await stored(id)
    expect(refundedMinor).toBeLessThanOrEqual(capturedMinor)
    const over = await entriesOf(id, 'over_returned')
    const warnings = await listPaymentWarnings(kassa.ctx.db, shop.merchantId, id)
    expect(over.length + warnings.length).toBeGreaterThan(0)
  })
})
