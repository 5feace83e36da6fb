/** Several returns of one payment count together, so an act above the limit cannot be split into parts below it. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addOperator, type Person } from '../../audit/people.ts'
import { confirmPayment } from '../../payments/decisions/payment.ts'
import { returnedOf } from '../../payments/return-limits.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { inTransaction } from '../../storage/db.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { operateJson } from '../../testing/operator.ts'
import { openScene } from '../../testing/scene.ts'
import { doOrPropose } from './approvals.ts'

const LIMIT = 50_000
const PAID = 200_000
const PART = 20_000

const { kassa, shop } = await openScene()
let ani: Person
let key: string
let orders = 0
beforeAll(async () => {
  const added = await addOperator(kassa.ctx, { name: 'Ani', role: 'administrator' })
  ;[ani, key] = [added.operator, added.key ?? '']
  await addOperator(kassa.ctx, { name: 'Davit', role: 'operator' })
  await inTransaction(kassa.ctx.db, (tx) => storeLimit(tx, 'USD', LIMIT))
})
// Each test is a day of its own, also for the command line, which has the real time.
beforeEach(() => kassa.ctx.db.query('delete from sandbox.returned_sums'))

async function pay(provider: string): Promise<string> {
  const merchantOrderId = `parts-${++orders}`
  const body = sessionRequest({ merchantOrderId, provider, amountMinor: PAID })
  const { body: session } = await createSession(kassa.url, shop, { key: merchantOrderId, body })
  if (provider !== 'manual') await payAtBank(session.providerCheckoutUrl, 'paid')
  else await confirmPayment(kassa.ctx, session.id, { actor: 'Ani', reference: `IN${orders}` })
  return session.id
}

const ACTS = {
  'payment refund': {
    provider: 'route_a',
    args: (paymentId: string, amountMinor: number, part: string) => ({ paymentId, amountMinor, key: part }),
  },
  'payment returned': {
    provider: 'manual',
    args: (paymentId: string, amountMinor: number, part: string) => ({
      paymentId,
      amountMinor,
      reference: `OUT${orders}${part}`,
      why: null,
    }),
  },
} as const
type Name = keyof typeof ACTS

const give = (name: Name, id: string, amountMinor: number, part: string) =>
  doOrPropose(kassa.ctx, ani, name, ACTS[name].args(id, amountMinor, part) as never)
async function returned(id: string): Promise<number> {
  const payment = await findPaymentById(kassa.ctx.db, id)
  if (!payment) throw new Error('There is no such payment.')
  return returnedOf(payment, await listEntries(kassa.ctx.db, payment))
}

describe.each(Object.keys(ACTS) as Name[])('%s', (name) => {
  test('needs a second person from the part on that exceeds the limit', async () => {
    const id = await pay(ACTS[name].provider)
    const parts = []
    for (const part of ['one', 'two', 'three', 'four']) parts.push(await give(name, id, PART, part))
    expect(parts.map((decided) => Object.keys(decided)[0])).toEqual(['done', 'done', 'proposed', 'proposed'])
    expect(await returned(id)).toBe(2 * PART)
    // What is left below the limit needs nobody else.
    expect(await give(name, id, LIMIT - 2 * PART, 'rest')).toHaveProperty('done')
    expect(await give(name, id, 1, 'more')).toHaveProperty('proposed')
  })

  test('at the same moment exceeds the limit by nothing', async () => {
    const id = await pay(ACTS[name].provider)
    const parts = ['one', 'two', 'three', 'four', 'five', 'six']
    const both = await Promise.allSettled(parts.map((part) => give(name, id, PART, part)))
    const done = both.filter((each) => each.status === 'fulfilled' && 'done' in each.value)
    expect(done.length).toBeGreaterThan(0)
    expect(await returned(id)).toBe(done.length * PART)
    expect(await returned(id)).toBeLessThanOrEqual(LIMIT)
    for (const each of both)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'payment_not_eligible' })
  })
})

describe('money that came beyond the payment', () => {
  const ARRIVED = 4 * LIMIT
  async function open(amountMinor = PART): Promise<string> {
    const merchantOrderId = `parts-${++orders}`
    const body = sessionRequest({ merchantOrderId, provider: 'manual', amountMinor })
    return (await createSession(kassa.url, shop, { key: merchantOrderId, body })).body.id
  }
  const arrived = (paymentId: string, amountMinor: number) => ({
    paymentId,
    amountMinor,
    reference: `IN${orders}`,
    accepts: true,
  })
  const confirm = (id: string, amountMinor: number) =>
    doOrPropose(kassa.ctx, ani, 'payment confirm', arrived(id, amountMinor))

  test('is weighed as it arrived, and never below what was asked', async () => {
    const id = await open()
    const decided = await confirm(id, ARRIVED)
    expect(decided).toMatchObject({ proposed: { about: expect.stringContaining(`2000.00 USD`) } })
    expect(await findPaymentById(kassa.ctx.db, id)).toMatchObject({ capturedMinor: 0 })
    expect(await confirm(await open(), LIMIT)).toHaveProperty('done')
    expect(await confirm(await open(LIMIT + 1), PART)).toHaveProperty('proposed')
  })

  test('counts with the other returns when it goes back in parts', async () => {
    const id = await open()
    await confirmPayment(kassa.ctx, id, { ...arrived(id, ARRIVED), actor: 'Ani' })
    const parts = []
    for (const part of ['one', 'two', 'three']) parts.push(await give('payment returned', id, PART, part))
    expect(parts.map((decided) => Object.keys(decided)[0])).toEqual(['done', 'done', 'proposed'])
    expect(await returned(id)).toBe(2 * PART)
  })

  test('exceeds the limit by nothing when its parts go back at the same moment', async () => {
    const id = await open()
    await confirmPayment(kassa.ctx, id, { ...arrived(id, ARRIVED), actor: 'Ani' })
    const parts = ['one', 'two', 'three', 'four', 'five', 'six']
    const all = await Promise.allSettled(parts.map((part) => give('payment returned', id, PART, part)))
    expect(all.some((each) => each.status === 'fulfilled' && 'done' in each.value)).toBe(true)
    expect(await returned(id)).toBeLessThanOrEqual(LIMIT)
  })

  test('is weighed by the command line too', async () => {
    const id = await open()
    const env = { DATABASE_URL: kassa.databaseUrl, KASSA_OPERATOR_KEY: key }
    const sum = ['--amount', '2000.00', '--accept-amount', '--reference', `IN${orders}`]
    expect((await operateJson(env, ['payment', 'confirm', '--payment', id, ...sum])).answer).toMatchObject({
      proposed: true,
    })
    await confirmPayment(kassa.ctx, id, { ...arrived(id, ARRIVED), actor: 'Ani' })
    const back = (amount: string) =>
      operateJson(env, [
        'payment',
        'returned',
        '--payment',
        id,
        '--amount',
        amount,
        '--reference',
        `O${amount}`,
      ])
    const answers = [await back('400.00'), await back('300.00')]
    expect(answers.map(({ answer }) => answer.proposed ?? false)).toEqual([false, true])
  })
})

test('the same refund again is repeated, and counts once', async () => {
  const id = await pay('route_a')
  for (let times = 0; times < 4; times++)
    expect(await give('payment refund', id, PART, 'same')).toHaveProperty('done')
  expect(await returned(id)).toBe(PART)
})

test('the command line is held in the same way', async () => {
  const id = await pay('route_a')
  const env = { DATABASE_URL: kassa.databaseUrl, KASSA_OPERATOR_KEY: key }
  const refund = (amount: string) =>
    operateJson(env, ['payment', 'refund', '--payment', id, '--amount', amount, '--why', 'late'])
  const answers = [await refund('400.00'), await refund('300.00')]
  expect(answers.map(({ code, answer }) => [code, answer.proposed ?? false])).toEqual([
    [0, false],
    [0, true],
  ])
  expect(await returned(id)).toBe(40_000)
})
