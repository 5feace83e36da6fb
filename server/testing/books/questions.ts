/** What people ask about payments: each way to find, list, export and add them up. */
import type { Context } from '../../context.ts'
import { oldestId } from '../../id.ts'
import { exportPayments } from '../../operator/export/payments.ts'
import { countByStatus } from '../../operator/finding/counts.ts'
import { findPayments } from '../../operator/finding/find.ts'
import type { PaymentListFilter } from '../../operator/finding/list.ts'
import { listPaymentPage } from '../../operator/payment-timeline.ts'
import { getTotals } from '../../reports/totals.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import type { Scene } from './many-scene.ts'

/** `isWhole`: gives out everything that it reads, so its cost follows that. */
export type Question = { name: string; isWhole?: true; ask(ctx: Context): Promise<unknown> }

const DAY_MS = 86_400_000
const PAGE = 20
const ZONE = 'Asia/Yerevan'
const PAGES = 100
const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)

// biome-ignore lint/suspicious/noExplicitAny: a row of a test's own query
type One = any

export async function questionsOf({ kassa, shops }: Scene): Promise<Question[]> {
  const { rows } = await kassa.ctx.db.query<One>(
    `select p.id, p.merchant_order_id as "order", p.customer, p.amount_minor as amount, p.created_at as at, a.reference, a.facts
     from sandbox.payments p join sandbox.attempts a on a.payment_id = p.id
     where merchant_order_id like 'SHOP%' and p.status = 'paid' order by p.id desc offset 300 limit 1`,
  )
  const one = rows[0]
  const [big = '', , small = ''] = shops.map(({ merchantId }) => merchantId)
  const after = await lastOf(kassa.ctx, {})
  const afterOfBig = await lastOf(kassa.ctx, { merchantId: big })
  const lists: Record<string, Partial<PaymentListFilter>> = {
    ...filtersOf(one, { big, small, nowMs: kassa.clock.now().getTime() }),
    [`page ${PAGES}`]: { after },
    [`page ${PAGES} of a merchant`]: { merchantId: big, after: afterOfBig },
  }
  return [
    { name: 'one payment by its id', ask: (ctx) => findPaymentById(ctx.db, one.id) },
    ...Object.entries(sayingsOf(one)).map(([name, saying]) => ({
      name: `find: ${name}`,
      ask: (ctx: Context) => findPayments(ctx, saying, { zones: [ZONE], limit: 10 }),
    })),
    ...Object.entries(lists).map(([name, wanted]) => ({
      name: `list: ${name}`,
      ask: (ctx: Context) => listPaymentPage(ctx, { ...wanted, limit: PAGE }),
    })),
    ...countsOf(kassa.clock.now().getTime(), small),
    ...wholesOf(kassa.clock.now().getTime(), small),
  ]
}

/** The numbers of a day cost what the day's own payments cost. */
function countsOf(nowMs: number, merchantId: string): Question[] {
  const dayLong = (world: Context['world']) => ({
    fromId: oldestId(world, 'pay', new Date(nowMs - DAY_MS)),
    toId: oldestId(world, 'pay', new Date(nowMs)),
  })
  const ask = (of: string | null) => (ctx: Context) =>
    countByStatus(ctx, { merchantId: of, ...dayLong(ctx.world) })
  return [
    { name: 'numbers: of a day', isWhole: true, ask: ask(null) },
    { name: 'numbers: of a day of a merchant', isWhole: true, ask: ask(merchantId) },
    {
      name: 'numbers: what is undecided',
      ask: (ctx) => countByStatus(ctx, { merchantId, status: 'status_unknown' }),
    },
  ]
}

function sayingsOf({ id, order, customer, amount, at, reference, facts }: One): Record<string, string> {
  const short = id.slice(-8).toUpperCase()
  const sum = `$${(amount / 100).toFixed(2)}`
  return {
    'a payment id': id,
    'a short number': `${short.slice(0, 4)} ${short.slice(4)}`,
    'half of a short number': short.slice(0, 4),
    'an order': order,
    'the number of an order': `order ${Number(order.slice(5))}`,
    'an e-mail address': customer.email,
    'half of an e-mail address': customer.email.split('@')[0],
    'the domain of a third of the customers': '@mail.example',
    'a telephone number': customer.phone,
    'the end of a telephone number': 'phone ending 3456',
    'a common name': 'Petrosyan',
    'two common names': 'Ani Petrosyan',
    'two common names and a card': 'Ani Petrosyan 4242',
    'a rare name': 'Zakaryan',
    'the end of a card': 'card 4242',
    "a bank's reference": facts?.rrn ?? reference,
    'a sum': sum,
    'a sum and a day': `${sum} on ${day(at.getTime())}`,
    'a day': day(at.getTime()),
    'a common name and a day': `Petrosyan ${day(at.getTime())}`,
    'a common name and a sum': `Petrosyan ${sum}`,
    'a common name and a mistake': 'petrosyan zzzz',
    'a word of a fourth of the orders': 'shop',
    'two letters': 'or',
    'one digit': '1',
    'nothing that is known': 'zzzzzz',
  }
}

function filtersOf(
  one: One,
  { big, small, nowMs }: { big: string; small: string; nowMs: number },
): Record<string, Partial<PaymentListFilter>> {
  const idAt = (days: number) => oldestId('sandbox', 'pay', new Date(nowMs - days * DAY_MS))
  return {
    'no filter': {},
    'a merchant': { merchantId: big },
    'a merchant with few payments': { merchantId: small },
    'a common status': { status: 'paid' },
    'a rare status': { status: 'failed' },
    'a status that nobody has': { status: 'status_unknown' },
    'a merchant and a rare status': { merchantId: big, status: 'failed' },
    'an order': { merchantOrderId: one.order },
    'an unknown order': { merchantOrderId: 'no such order' },
    'a merchant and an order': { merchantId: big, merchantOrderId: 'no such order' },
    'since 30 days': { fromId: idAt(30) },
    'until 200 days ago': { toId: idAt(200) },
    'a common route': { route: 'route_a' },
    'a route that nobody uses': { route: 'manual' },
    'an amount that nobody paid': { minMinor: 50_000_000 },
    'a warning': { isWarned: true },
    'a merchant and a warning': { merchantId: small, isWarned: true },
    'five filters': {
      merchantId: big,
      status: 'expired',
      route: 'route_a',
      minMinor: 90_000,
      fromId: idAt(399),
    },
    'a customer': { customer: one.customer.email },
    'customers with a common name': { customer: 'Petrosyan' },
    'customers with a rare name': { customer: 'Zakaryan' },
  }
}

function wholesOf(nowMs: number, small: string): Question[] {
  const all = { merchantId: undefined, accountId: undefined, currency: undefined }
  const [today, tenDays, months] = [0, 9, 60].map((days) => day(nowMs - days * DAY_MS)) as [
    string,
    string,
    string,
  ]
  const since = { fromId: oldestId('sandbox', 'pay', new Date(nowMs - 3 * DAY_MS)) }
  return [
    {
      name: 'export: 3 days',
      isWhole: true,
      ask: (ctx) => runThrough(exportPayments(ctx, { ...since, zone: ZONE })),
    },
    {
      name: 'totals: by day, 10 days',
      isWhole: true,
      ask: (ctx) => getTotals(ctx, { ...all, by: 'day', since: tenDays, until: today }),
    },
    {
      name: 'totals: by month, 3 months',
      isWhole: true,
      ask: (ctx) => getTotals(ctx, { ...all, by: 'month', since: months, until: today }),
    },
    {
      name: 'totals: one merchant, one day',
      isWhole: true,
      ask: (ctx) => getTotals(ctx, { ...all, merchantId: small, by: 'day', since: tenDays, until: tenDays }),
    },
  ]
}

async function runThrough(pages: AsyncGenerator<unknown[]>): Promise<void> {
  for await (const _ of pages);
}

/** The last payment of the page before. */
async function lastOf(ctx: Context, wanted: Partial<PaymentListFilter>): Promise<string | null> {
  let after: string | null = null
  for (let page = 0; page < (PAGES * PAGE) / 500; page++)
    after = (await listPaymentPage(ctx, { ...wanted, after, limit: 500 })).next
  return after
}
