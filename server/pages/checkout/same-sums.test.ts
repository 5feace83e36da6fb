/** The page, the receipt, the mail, the event and the operator's view show the same sums, which are those of the entries. */
import { expect, test } from 'vitest'
import { referenceOf } from '../../id.ts'
import { type ReceiptMail, writeReceipt } from '../../mail/receipt.ts'
import { computeSums } from '../../payments/entries/entry.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { listMails } from '../../storage/mails/mails.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { call, createSession, lookUp, readPage, sessionRequest } from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { type OrderChange, openLedger } from '../../testing/providers/ledger-bank.ts'
import { openScene } from '../../testing/scene.ts'

const { kassa, shop } = await openScene({
  settings: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'receipts@pay.example' },
})
const { ctx } = kassa
const ledger = openLedger(ctx)

let orders = 0
/** A payment of 19.00 USD of which the bank then says this, one after the other. */
async function payment(reports: readonly OrderChange[]): Promise<AttemptedPayment> {
  const merchantOrderId = `order-${++orders}`
  const customer = { email: 'ani@example.com' }
  const body = sessionRequest({ merchantOrderId, customer })
  const { id } = (await createSession(kassa.url, shop, { key: merchantOrderId, body })).body
  await lookUp(kassa.url, shop, id)
  for (const each of reports) {
    ledger.move(referenceOf(id), each)
    await call(`${kassa.url}/callbacks/${ctx.routes.route_a.id}`, { body: referenceOf(id) })
  }
  return (await findPaymentById(ctx.db, id)) as AttemptedPayment
}

/** Returns each amount of money in a text once, the largest first. */
const amountsIn = (text: string): number[] =>
  [
    ...new Set([...text.matchAll(/\$(\d+\.\d\d)/g)].map(([, amount]) => Math.round(Number(amount) * 100))),
  ].sort((one, other) => other - one)

type Case = {
  reports: OrderChange[]
  status: string
  sums: [captured: number, refunded: number]
  page: number[]
  receipt: number[] | null
  mail: number[]
}

const dispute = { dispute: { amountMinor: 300 } }
const cases: Record<string, Case> = {
  voided: {
    reports: [{ order: 'voided' }],
    status: 'reversed',
    sums: [0, 0],
    page: [1900],
    receipt: null,
    mail: [1900],
  },
  disputed: {
    reports: [dispute],
    status: 'disputed',
    sums: [1900, 0],
    page: [1900],
    receipt: [1900],
    mail: [1900],
  },
  'partially refunded': {
    reports: [{ order: 'completed', refundedMinor: 500 }],
    status: 'partially_refunded',
    sums: [1900, 500],
    page: [1900, 500],
    receipt: [1900, 500],
    mail: [1900, 500],
  },
  'partially lost in a dispute': {
    reports: [dispute, { order: 'completed', dispute: undefined, disputeLostMinor: 300 }],
    status: 'partially_refunded',
    sums: [1900, 300],
    page: [1900, 300],
    receipt: [1900, 300],
    mail: [1900, 300],
  },
  'over-returned': {
    reports: [{ order: 'completed', refundedMinor: 2400 }],
    status: 'refunded',
    sums: [1900, 1900],
    page: [1900],
    receipt: [1900],
    mail: [1900],
  },
  'paid again after a refund failed': {
    reports: [
      { order: 'completed', refundedMinor: 500 },
      { order: 'completed', refundedMinor: 0 },
    ],
    status: 'paid',
    sums: [1900, 0],
    page: [1900],
    receipt: [1900],
    mail: [1900, 500],
  },
}

test('payment show lists each movement of the money in plain words', async () => {
  const { id } = await payment([{ order: 'completed', refundedMinor: 2400 }])
  const show = await operateHere(async () => ctx, ['payment', 'show', '--payment', id])
  const [, money = ''] = show.stdout.split('\nMoney\n')
  const rows = (money.split('\n\n')[0] ?? '').split('\n').map((row) => row.trim().split(/ {2,}/).slice(1, 4))
  expect(rows).toEqual([
    ['What', 'Amount', 'Known by'],
    ['taken', '19.00 USD', 'answer'],
    ['refunded', '19.00 USD', 'answer'],
    ['returned beyond what was taken', '5.00 USD', 'answer'],
  ])
})

test.each(Object.entries(cases))(
  'a payment that is %s shows the same sums everywhere',
  async (_, expected) => {
    const at = await payment(expected.reports)
    const { merchantId, id } = at
    const [capturedMinor, refundedMinor] = expected.sums
    const sums = { capturedMinor, refundedMinor }
    expect(computeSums(await listEntries(ctx.db, at))).toMatchObject(sums)
    expect((await lookUp(kassa.url, shop, id)).body).toMatchObject({ status: expected.status, ...sums })
    const events = await listPaymentEvents(ctx.db, merchantId, id)
    expect(JSON.parse(events.at(-1)?.body ?? '').payment).toMatchObject({ status: expected.status, ...sums })
    const show = await operateHere(async () => ctx, ['payment', 'show', '--payment', id, '--json'])
    expect(JSON.parse(show.stdout)).toMatchObject({ payment: sums, attempts: [sums] })
    const page = await readPage(`${kassa.url}/checkout/${id}`)
    const receipt = await readPage(`${kassa.url}/checkout/${id}/receipt`)
    expect(amountsIn(page.html)).toEqual(expected.page)
    expect(receipt.status === 200 ? amountsIn(receipt.html) : null).toEqual(expected.receipt)
    const [mail] = (await listMails(ctx.db, { paymentId: id, limit: 9 })).sort((one, other) =>
      one.id < other.id ? 1 : -1,
    )
    if (!mail || mail.notice) throw new Error('no mail')
    const { text } = await writeReceipt(ctx, mail as ReceiptMail, at, 'ani@example.com')
    expect(amountsIn(text)).toEqual(expected.mail)
  },
)
