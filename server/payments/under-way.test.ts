/** The buyer has finished, and the provider is still working on the payment, past its expiry. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { LookUpResult } from '../providers/driver.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { type Script, scriptRoute } from '../testing/providers/scripted-driver.ts'
import { SWEEPS } from '../worker/sweeps.ts'

const HOURS_MS = 6 * 3_600_000
const TURNS_OF_A_DAY = 4

let kassa: Kassa
let shop: Shop
let script: Script
let orders = 0
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
beforeEach(() => {
  script = scriptRoute(kassa.ctx)
})
afterAll(() => kassa.close())

const underWay = (truth: LookUpResult): LookUpResult =>
  truth.kind === 'found'
    ? { ...truth, snapshot: { ...truth.snapshot, status: 'pending_payment', isUnderWay: true } }
    : truth
const paid = (truth: LookUpResult): LookUpResult => {
  if (truth.kind !== 'found') return truth
  const { amountMinor } = truth.snapshot
  const money = { authorizedMinor: amountMinor, capturedMinor: amountMinor }
  return { ...truth, snapshot: { ...truth.snapshot, status: 'paid', ...money } }
}
const status = async (id: string) => (await findPaymentById(kassa.ctx.db, id))?.status

async function open(): Promise<string> {
  const key = `under-way-${++orders}`
  script.lookUp = underWay
  return (await createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })).body
    .id
}

async function passDays(days: number): Promise<void> {
  for (let turn = 0; turn < days * TURNS_OF_A_DAY; turn++) {
    kassa.clock.advance(HOURS_MS)
    await SWEEPS.statusSync(kassa.ctx)
  }
}

test('a payment on which the provider works for 20 days never expires, also while it cannot be asked, and is then paid', async () => {
  const id = await open()
  await passDays(10)
  script.lookUp = () => ({ kind: 'unavailable', message: 'the bank is away' })
  await passDays(2)
  script.lookUp = underWay
  await passDays(8)
  expect(await status(id)).toBe('pending_payment')
  script.lookUp = paid
  await passDays(2)
  expect(await status(id)).toBe('paid')
})

test('a payment on which the provider works for more than 30 days is left to a person', async () => {
  const id = await open()
  await passDays(29)
  expect(await status(id)).toBe('pending_payment')
  await passDays(3)
  expect(await status(id)).toBe('status_unknown')
  await passDays(5)
  expect(await status(id)).toBe('status_unknown')
})
