/** `payment`: what became of a payment, and why. */
import { getTimeline, listPaymentPage } from '../payments/timeline.ts'
import { ADMIN, type Noun, verb } from './command.ts'
import { count, optional, required } from './flag.ts'
import { amount, counted, moment, paragraphs, table } from './layout.ts'
import { presentPaymentRecord, presentTimeline, timelineText } from './payment-timeline.ts'
import { whyNotPaid } from './unpaid.ts'

const PAGE_MAX = 500
const PAGE_DEFAULT = 20

const show = verb({
  name: 'show',
  summary: 'One payment with everything that happened to it, and why it is not paid',
  flags: { payment: required('ID', "the payment's id (pay_...)") },
  examples: ['--payment pay_01...'],
  async run(ctx, { payment: id }) {
    const timeline = await getTimeline(ctx, id)
    const why = whyNotPaid(ctx, timeline)
    return { json: { ...presentTimeline(ctx, timeline), why }, text: timelineText(ctx, timeline, why) }
  },
})

const list = verb({
  name: 'list',
  summary: 'Payments, the newest first, a page at a time',
  flags: {
    merchant: optional('ID', "only this merchant's"),
    limit: count('N', 'how many', { max: PAGE_MAX, fallback: PAGE_DEFAULT }),
    after: optional('ID', 'the last payment of the page before'),
  },
  examples: ['', '--merchant mer_01... --limit 50', '--after pay_01...'],
  async run(ctx, { merchant: merchantId, limit, after }) {
    const { payments, next } = await listPaymentPage(ctx, { merchantId, after, limit })
    const rows = payments.map(
      ({ id, createdAt, status, amountMinor, currency, provider, merchantOrderId }) => [
        ...[id, moment(createdAt), status, amount(amountMinor, currency), provider, merchantOrderId],
      ],
    )
    const scope = merchantId ? ` --merchant ${merchantId}` : ''
    const more = next && `More: ${ADMIN} payment list${scope} --limit ${limit} --after ${next}`
    const text =
      payments.length > 0
        ? paragraphs(
            table(['Payment', 'Created', 'Status', 'Amount', 'Route', 'Order'], rows),
            more ?? counted(payments.length, 'payment'),
          )
        : 'There is no payment here.'
    return { json: { payments: payments.map((payment) => presentPaymentRecord(ctx, payment)), next }, text }
  },
})

export const payment: Noun = {
  name: 'payment',
  summary: 'What became of a payment, and why',
  verbs: [show, list],
}
