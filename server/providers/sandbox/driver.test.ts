/**
 * Every fault of the simulated bank, end to end: real HTTP. The test runs the sweeps and moves the clock. Whatever goes wrong,
 * the bank's records and Kassa's agree in the end, or a person is told.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { FAULT_NAMES, type SandboxFault } from '../../contract/faults.ts'
import { FOUND_AGAIN_MS } from '../../sandbox/bank/ledger.ts'
import { call, linkRequest, sessionRequest } from '../../testing/calls.ts'
import { setBankScene } from '../../testing/providers/bank-scene.ts'
import { openKassa } from '../../testing/scene.ts'

const DAY_MS = 24 * 3_600_000

const kassa = await openKassa()
const { ctx } = kassa
const {
  shop,
  open,
  pay,
  later,
  aWhileLater,
  ask,
  refund,
  status,
  path,
  changes,
  entry,
  operations,
  expectReconciled,
} = await setBankScene(kassa)

const LOST = ['answer_lost', 'http500_after', 'malformed'] as const
const QUICK = FAULT_NAMES.filter((fault) => fault !== 'slow')

describe('whatever goes wrong, in the end the bank’s books and ours agree, or a person is told', () => {
  // The payments of all faults run at the same time, because moving the clock runs everything that is due.
  const oneStep = new Map<SandboxFault, string>()
  const holds = new Map<SandboxFault, string>()
  const voided = new Map<SandboxFault, string[]>()
  beforeAll(async () => {
    for (const fault of QUICK) oneStep.set(fault, await pay(fault))
    await later(12_000)
    for (const id of oneStep.values())
      if ((await status(id)) === 'paid') {
        expect((await refund(id, 500)).status).toBe(201)
        expect((await refund(id, 600)).status).toBe(201)
      }
    await aWhileLater()

    for (const fault of QUICK) holds.set(fault, await pay(fault, { provider: 'route_b' }))
    for (const fault of LOST)
      voided.set(fault, [
        await pay(fault, { provider: 'route_a' }),
        await pay(fault, { provider: 'route_b' }),
      ])
    await later(12_000)
    for (const id of [...voided.values()].flat())
      expect((await ask(id, 'void', { reason: 'out of stock' })).status).toBe(201)
    await later(31_000)
    const captured: string[] = []
    for (const id of holds.values())
      if ((await status(id)) === 'authorized') {
        expect((await ask(id, 'capture', { amountMinor: 1500 })).status).toBe(201)
        captured.push(id)
      }
    await later(2_000)
    await later(2_000)
    for (const id of captured) {
      expect(await status(id)).toBe('paid')
      expect((await refund(id, 500)).status).toBe(201)
    }
    await aWhileLater()
  })

  test.each(QUICK)('%s: a payment in one step and two refunds', async (fault) => {
    const id = oneStep.get(fault) ?? ''
    await expectReconciled(id)
    const unclear = ['wrong_amount', 'wrong_currency', 'underpaid'].includes(fault)
    expect((await status(id)) === 'status_unknown').toBe(unclear)
  })

  test.each(QUICK)('%s: a hold, a part of it captured, a part of that refunded', async (fault) => {
    const id = holds.get(fault) ?? ''
    await expectReconciled(id)
    if (await operations(id).then((all) => all.length > 0)) {
      const { capturedMinor, refunds } = await entry(id)
      expect([capturedMinor, refunds.map(({ amountMinor }) => amountMinor)]).toEqual([1500, [500]])
    }
  })

  test.each(LOST)('%s: a void', async (fault) => {
    for (const id of voided.get(fault) ?? []) {
      expect(await status(id)).toBe('reversed')
      await expectReconciled(id)
    }
    expect(voided.get(fault)).toHaveLength(2)
  })
})

describe('a lost answer', () => {
  test.each(LOST)('%s leaves the payment as it was until the bank is asked again', async (fault) => {
    const id = await pay(fault)
    expect(await status(id)).toBe('pending_redirect')
    await later(12_000)
    expect(await status(id)).toBe('paid')
  })

  test('of a refund is sent once, because the order shows that it was done', async () => {
    const id = await pay('answer_lost')
    await later(12_000)
    await refund(id, 700)
    await aWhileLater()
    expect((await operations(id)).map((each) => each.status)).toEqual(['succeeded'])
    expect((await entry(id)).refunds).toHaveLength(1)
  })

  test('of the buyer’s choice is found by the bank’s callback, and by the daily question', async () => {
    const id = await pay(undefined, { outcome: 'unknown' })
    expect(await status(id)).toBe('status_unknown')
    await aWhileLater()
    expect(await status(id)).toBe('status_unknown')
    await later(FOUND_AGAIN_MS)
    await later(DAY_MS)
    expect(await path(id)).toEqual(['status_unknown', 'paid'])
    await expectReconciled(id)
  })
})

describe('a wrong answer', () => {
  test.each([
    ['wrong_amount', 'amount 1901'],
    ['wrong_currency', 'in AMD'],
  ] as const)('%s never makes a payment paid: its status is unknown, with the reason', async (fault, why) => {
    const id = await pay(fault)
    await aWhileLater()
    await later(8 * DAY_MS)
    expect(await path(id)).toEqual(['status_unknown'])
    const last = (await changes(id)).at(-1)
    expect(last?.detail).toContain(why)
    expect((await refund(id, 500)).status).toBe(409)
  })
})

test('an unknown fault name is rejected, and the error lists the names', async () => {
  const headers = { authorization: `Bearer ${shop.token}`, 'idempotency-key': 'unknown-fault' }
  for (const sandboxFault of ['earthquake', '', 7, null, ['slow']])
    for (const [path, body] of [
      ['payment-sessions', sessionRequest({ metadata: { sandboxFault } })],
      ['payment-links', linkRequest({ metadata: { sandboxFault } })],
    ] as const) {
      const answer = await call(`${kassa.url}/v1/${path}`, { headers, body })
      expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_failed'])
      for (const fault of FAULT_NAMES) expect(answer.body.errors['metadata.sandboxFault']).toContain(fault)
    }
})

test('a route can have its own fault', async () => {
  ctx.routes.route_a = {
    ...ctx.routes.route_a,
    settings: { ...ctx.routes.route_a.settings, FAULT: 'malformed' },
  }
  const faulty = await open()
  expect(await (await fetch(faulty.providerCheckoutUrl)).text()).toContain('malformed')
})
