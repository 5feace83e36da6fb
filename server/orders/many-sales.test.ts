/** A process dies while it decides orders or tells their owners. `npm run test:long` kills real workers among a thousand sales. */
import { expect, test } from 'vitest'
import { setOrderBook } from '../storage/orders/books.ts'
import { storeOrderPayment } from '../storage/orders/payments.ts'
import { openShop } from '../testing/harness.ts'
import { mortalDb, recordingDb, samplePoints } from '../testing/mortal-db.ts'
import { openKassa } from '../testing/scene.ts'
import { notifyOwners } from './news.ts'
import { workOn, workOnDue } from './work.ts'

const kassa = await openKassa({
  settings: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'orders@pay.example' },
})

const UNTOUCHED = { buyer: null, takenBack: false } as const

/** A shop with three sales that are not decided yet. */
async function openSales(): Promise<string> {
  const { merchantId } = await openShop(kassa.ctx)
  const at = kassa.ctx.clock.now()
  const notices = { email: 'potter@shop.example', locale: 'en', told: 'at_once', silent: [] } as const
  await setOrderBook(kassa.ctx.db, { merchantId, ...notices, silent: [] }, at)
  const money = { amountMinor: 100, capturedMinor: 100, refundedMinor: 0, currency: 'USD' } as const
  for (const reference of ['one', 'two', 'three']) {
    const id = `pay_test_${merchantId}_${reference}`
    const state = { merchantId, paymentId: id, reference, sequence: 1, status: 'paid', ...money } as const
    await storeOrderPayment(kassa.ctx.db, { ...state, ...UNTOUCHED, eventAt: at }, at)
  }
  return merchantId
}

/** A shop with three pieces of news that nobody was told. */
async function openNews(): Promise<string> {
  const merchantId = await openSales()
  await workOnDue(kassa.ctx)
  return merchantId
}

test('a process that dies around any commit decides each order once, and another one decides the rest', async () => {
  const statements: string[] = []
  await openSales()
  await workOnDue({ ...kassa.ctx, db: recordingDb(kassa.ctx.db, statements) })
  const points = samplePoints(statements, ['claim_due_order_payments'])
  expect(points.length).toBeGreaterThan(8)
  for (const point of points) {
    const merchantId = await openSales()
    await workOnDue({ ...kassa.ctx, db: mortalDb(kassa.ctx.db, point) }).catch(() => {})
    // What the dead process has claimed is due again a little later.
    kassa.clock.advance(60_000)
    await Promise.all([workOnDue(kassa.ctx), workOnDue(kassa.ctx)])
    const { rows } = await kassa.ctx.db.query(
      `select (select count(*)::int from sandbox.orders where merchant_id = $1 and decision = 'deliver') as orders,
         (select count(*)::int from sandbox.order_changes where merchant_id = $1) as changes`,
      [merchantId],
    )
    expect([point, rows[0]]).toEqual([point, { orders: 3, changes: 3 }])
  }
})

test('a state that another event overtakes while it is handled decides nothing', async () => {
  const merchantId = await openSales()
  const paymentId = `pay_test_${merchantId}_one`
  const { db, clock } = kassa.ctx
  await workOn(kassa.ctx, merchantId, paymentId, async () => {
    const money = { amountMinor: 100, capturedMinor: 100, refundedMinor: 100, currency: 'USD' } as const
    const state = {
      merchantId,
      paymentId,
      reference: 'one',
      sequence: 2,
      status: 'refunded',
      ...money,
    } as const
    await storeOrderPayment(
      db,
      { ...state, ...UNTOUCHED, takenBack: true, eventAt: clock.now() },
      clock.now(),
    )
    await workOn(kassa.ctx, merchantId, paymentId)
    return null
  })
  const { rows } = await db.query(
    `select (select count(*)::int from sandbox.orders where merchant_id = $1 and decision = 'deliver') as orders,
       (select count(*)::int from sandbox.order_changes where merchant_id = $1) as changes`,
    [merchantId],
  )
  // The change is that of the return.
  expect(rows).toEqual([{ orders: 0, changes: 1 }])
})

test('a process that dies around any commit tells nothing twice and forgets nothing', async () => {
  const statements: string[] = []
  await openNews()
  await notifyOwners({ ...kassa.ctx, db: recordingDb(kassa.ctx.db, statements) })
  expect(statements).toContain('mark_order_news_told')
  for (const point of samplePoints(statements, ['mark_order_news_told'])) {
    const merchantId = await openNews()
    await notifyOwners({ ...kassa.ctx, db: mortalDb(kassa.ctx.db, point) }).catch(() => {})
    await Promise.all([notifyOwners(kassa.ctx), notifyOwners(kassa.ctx)])
    await notifyOwners(kassa.ctx)
    const { rows } = await kassa.ctx.db.query(
      `select (select count(*)::int from sandbox.mails where merchant_id = $1) as mails,
         (select count(distinct mail_id)::int from sandbox.order_changes where merchant_id = $1) as told`,
      [merchantId],
    )
    expect([point, rows[0]]).toEqual([point, { mails: 3, told: 3 }])
  }
})
