/** An operator decides about a payment while others act on it: a decision counts only for the payment that it was made about. */
import { describe, expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { listReceipts } from '../../storage/payments/receipts.ts'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { interruptedDb } from '../../testing/mortal-db.ts'
import { openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { confirmPayment, type DecidedStatus, resolvePayment } from './payment.ts'
import { resolveReceipt } from './receipt.ts'
import { noteReturn } from './returned.ts'

const { kassa, shop, getPayment } = await openScene()
const { ctx } = kassa
const ledger = openLedger(ctx, { status: 'pending_payment' })

let orders = 0
const decide = (id: string, as: DecidedStatus, by: string, at: Context = ctx) =>
  resolvePayment(at, id, as, { actor: by, why: null, accepts: 700 })
const decidersOf = async (id: string) =>
  (await listPaymentChanges(ctx.db, shop.merchantId, id)).flatMap(({ actor }) => actor ?? [])

async function open(provider: string): Promise<string> {
  const key = `decided-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 1900, provider })
  return (await createSession(kassa.url, shop, { key, body })).body.id
}

/** A payment whose bank took only a part, so that a person has to decide. */
async function unclear(): Promise<string> {
  const id = await open('route_a')
  const {
    attempt: { reference: providerReference },
  } = await getPayment(id)
  ledger.move(providerReference, { order: 'completed', authorizedMinor: 700, capturedMinor: 700 })
  await lookUp(kassa.url, shop, id)
  expect((await getPayment(id)).status).toBe('status_unknown')
  return id
}

/** Another process that acts just before the decision is stored. */
const interrupted = (meanwhile: () => Promise<unknown>): Context => ({
  ...ctx,
  db: interruptedDb(ctx.db, 'lock_payment', async () => void (await meanwhile())),
})

describe('a decision', () => {
  test('is refused when another operator has decided in the meantime, and says what the payment is now', async () => {
    const id = await unclear()
    const late = interrupted(() => decide(id, 'paid', 'Ani'))
    await expect(decide(id, 'refunded', 'Karen', late)).rejects.toMatchObject({
      code: 'payment_not_eligible',
      message: expect.stringContaining('is paid now'),
      details: { next: [{ act: 'show_payment', paymentId: id }] },
    })
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
    expect(await decidersOf(id)).toEqual(['Ani'])
  })

  test('of two operators at once counts once, and the other operator is told', async () => {
    const id = await unclear()
    const bothWait = Promise.withResolvers<void>()
    let questions = 0
    // Both have the bank's answer before either of them decides.
    ledger.duringLookUp = async () => {
      if (++questions === 2) bothWait.resolve()
      await bothWait.promise
    }
    const both = await Promise.allSettled([decide(id, 'paid', 'Ani'), decide(id, 'refunded', 'Karen')])
    ledger.duringLookUp = async () => {}
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await decidersOf(id)).toHaveLength(1)
  })

  test('is refused when the bank proves the payment in the meantime', async () => {
    const id = await unclear()
    const {
      attempt: { reference: providerReference },
    } = await getPayment(id)
    const late = interrupted(async () => {
      ledger.move(providerReference, { authorizedMinor: 1900, capturedMinor: 1900 })
      await askAboutPayment(ctx, await getPayment(id))
    })
    await expect(decide(id, 'refunded', 'Karen', late)).rejects.toMatchObject({
      code: 'payment_not_eligible',
    })
    expect(await getPayment(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
  })

  test('is refused when the operator has seen an older version', async () => {
    const id = await unclear()
    const { version } = await getPayment(id)
    const older = { actor: 'Ani', why: null, version: version - 1, accepts: 700 }
    await expect(resolvePayment(ctx, id, 'paid', older)).rejects.toMatchObject({
      message: expect.stringContaining('is status_unknown now'),
    })
    expect((await getPayment(id)).version).toBe(version)
    const decided = await resolvePayment(ctx, id, 'paid', { ...older, version })
    expect(decided.payment.status).toBe('paid')
  })
})

describe('a confirmation by hand', () => {
  test('is refused when the payment was closed in the meantime', async () => {
    const id = await open('manual')
    const late = interrupted(() => decide(id, 'cancelled', 'Ani'))
    await expect(confirmPayment(late, id, { reference: 'TRF-1', actor: 'Karen' })).rejects.toMatchObject({
      message: expect.stringContaining('is cancelled now'),
    })
    expect((await getPayment(id)).status).toBe('cancelled')
    // The money has arrived after all. The operator looks, and decides again.
    const again = await confirmPayment(ctx, id, { reference: 'TRF-1', actor: 'Karen' })
    expect(again.payment.status).toBe('paid')
  })

  test.each(['trf 2026/17', '  TRF2026/17 ', 'Trf\u00a02026/\u200b17', 'ＴＲＦ 2026/17'])(
    'with the reference of another payment is refused, also when it is typed as "%s"',
    async (spelling) => {
      const [first, second] = [await open('manual'), await open('manual')]
      const number = ` ${++orders}`
      const confirm = (id: string, reference: string) =>
        confirmPayment(ctx, id, { reference: reference + number, actor: 'Ani' })
      await confirm(first, 'TRF 2026/17')
      await expect(confirm(second, spelling)).rejects.toThrow('One transfer pays for one payment')
      expect((await getPayment(second)).status).toBe('pending_redirect')
      // For the payment that it has confirmed it is the same reference, and it stays as it was typed first.
      expect(await confirm(first, spelling)).toMatchObject({ confirmed: false })
      const [change] = (await listPaymentChanges(ctx.db, shop.merchantId, first)).slice(-1)
      expect(change?.detail).toBe(`bank reference TRF 2026/17${number}`)
    },
  )

  test('with references that differ in more than blanks and case counts for each payment', async () => {
    for (const reference of ['TRF-9/1', 'TRF-91']) {
      const confirmed = await confirmPayment(ctx, await open('manual'), { reference, actor: 'Ani' })
      expect(confirmed.confirmed).toBe(true)
    }
  })
})

test('a decision about a receipt that another operator has just decided is refused', async () => {
  const id = await unclear()
  await decide(id, 'paid', 'Ani')
  const [receipt] = await listReceipts(ctx.db, shop.merchantId, id)
  if (!receipt) throw new Error('The payment has no receipt')
  for (const status of ['printing', 'unclear'])
    await ctx.db.query(
      'update sandbox.receipts set status = $2, sequence = 1, sent_at = now(), due_at = null where id = $1',
      [receipt.id, status],
    )
  const decision = { actor: 'Ani', why: null }
  const late = interrupted(() => resolveReceipt(ctx, receipt.id, { as: 'failed' }, decision))
  await expect(resolveReceipt(late, receipt.id, { as: 'issued', number: '7' }, decision)).rejects.toThrow(
    'is failed now, because it has changed in the meantime',
  )
  expect((await listReceipts(ctx.db, shop.merchantId, id))[0]).toMatchObject({
    status: 'failed',
    number: null,
  })
})

describe('a return by hand', () => {
  const give = (id: string, amountMinor: number, reference: string, at = ctx) =>
    noteReturn(at, id, { actor: 'Ani', why: 'a crack', amountMinor, reference })
  async function paidByHand(): Promise<string> {
    const id = await open('manual')
    await confirmPayment(ctx, id, { reference: `IN ${id}`, actor: 'Ani' })
    return id
  }

  test('counts each transfer once, however its reference is typed, and never more than was taken', async () => {
    const id = await paidByHand()
    expect(await give(id, 500, `IN ${id}`)).toMatchObject({
      noted: true,
      payment: { status: 'partially_refunded', refundedMinor: 500 },
    })
    expect(await give(id, 500, `in ${id} `)).toMatchObject({ noted: false, payment: { refundedMinor: 500 } })
    const other = await paidByHand()
    await expect(give(other, 100, `IN${id}`)).rejects.toThrow(`returned money of the payment ${id}`)
    expect((await getPayment(other)).refundedMinor).toBe(0)
    await expect(give(id, 1401, 'RF 2')).rejects.toThrow('14.00 USD of it can be returned')
    const both = await Promise.allSettled([give(id, 900, 'RF 3'), give(id, 900, 'RF 4')])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await give(id, 500, 'RF 5')).toMatchObject({
      payment: { status: 'refunded', refundedMinor: 1900 },
    })
    const changes = await listPaymentChanges(ctx.db, shop.merchantId, id)
    expect(changes.at(-1)).toMatchObject({ cause: 'operator', detail: 'bank reference RF 5: a crack' })
  })

  test('uses up what came too much first, without a refund, an event or a mail', async () => {
    const id = await open('manual')
    await confirmPayment(ctx, id, {
      reference: `IN ${id}`,
      actor: 'Ani',
      amountMinor: 2400,
      accepts: true,
    })
    const book = async () =>
      (await listEntries(ctx.db, await getPayment(id))).map(
        ({ kind, amountMinor, providerId }) => `${kind} ${amountMinor} ${providerId}`,
      )
    expect(await book()).toEqual([`taken 1900 IN ${id}`, `unmatched 500 IN ${id}`])
    const events = async () =>
      (await ctx.db.query('select status from sandbox.events where payment_id = $1', [id])).rows.length
    const [before, sent] = [await getPayment(id), await events()]
    const open_ = async () =>
      (await listPaymentWarnings(ctx.db, shop.merchantId, id)).filter(({ settledAt }) => settledAt === null)
    expect(await open_()).toMatchObject([{ detail: expect.stringContaining('5.00 USD') }])
    expect(await give(id, 200, 'BACK 1')).toMatchObject({ noted: true, payment: { status: 'paid' } })
    expect(await give(id, 200, 'back1')).toMatchObject({ noted: false })
    expect((await open_()).length).toBe(1)
    const both = await Promise.allSettled([give(id, 300, 'BACK 2'), give(id, 300, 'Back 2')])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    expect(await getPayment(id)).toMatchObject({
      status: 'paid',
      capturedMinor: 1900,
      refundedMinor: 0,
      version: before.version,
    })
    expect([await events(), await open_()]).toEqual([sent, []])
    expect((await book()).slice(2)).toEqual([
      'over_returned 200 BACK 1',
      expect.stringMatching(/^over_returned 300/i),
    ])
    expect(await give(id, 100, 'BACK 3')).toMatchObject({
      payment: { status: 'partially_refunded', refundedMinor: 100 },
    })
  })

  test('of one transfer that is more than the surplus, the rest is refunded, and never more than came', async () => {
    const id = await open('manual')
    await confirmPayment(ctx, id, {
      reference: `IN ${id}`,
      actor: 'Ani',
      amountMinor: 2400,
      accepts: true,
    })
    await expect(give(id, 2401, 'ALL')).rejects.toThrow('24.00 USD of it can be returned')
    const both = await Promise.allSettled([give(id, 2000, 'ONE'), give(id, 2000, 'TWO')])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await getPayment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 1500 })
    expect(await give(id, 400, 'REST')).toMatchObject({
      payment: { status: 'refunded', refundedMinor: 1900 },
    })
  })

  test('the same reference with another amount is refused by name, of money that came and that went back', async () => {
    const id = await open('manual')
    const arrived = (amountMinor: number) =>
      confirmPayment(ctx, id, { reference: `IN ${id}`, actor: 'Ani', amountMinor, accepts: true })
    await arrived(2400)
    expect(await arrived(2400)).toMatchObject({ confirmed: false })
    await expect(arrived(1900)).rejects.toThrow(
      `The bank reference IN ${id} is noted with 24.00 USD, and not with 19.00 USD.`,
    )
    await give(id, 700, 'RF 8')
    expect(await give(id, 700, 'rf8')).toMatchObject({ noted: false })
    await expect(give(id, 70, 'RF8')).rejects.toMatchObject({
      code: 'payment_not_eligible',
      message: expect.stringContaining(
        'The bank reference RF8 is noted with 7.00 USD, and not with 0.70 USD.',
      ),
    })
    expect((await getPayment(id)).refundedMinor).toBe(200)
  })

  test('needs money that has arrived, and a provider that returns none', async () => {
    await expect(give(await open('manual'), 100, 'RF 6')).rejects.toThrow('0.00 USD of it can be returned')
    await expect(give(await open('route_a'), 100, 'RF 7')).rejects.toThrow('Refund the payment instead')
  })
})
