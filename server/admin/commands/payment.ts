/** `payment`: what became of a payment, and why. */
import type { Context } from '../../context.ts'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { getTimeline, listPaymentPage } from '../../operator/payment-timeline.ts'
import { confirmPayment, DECIDED_STATUSES, resolvePayment } from '../../payments/decisions/payment.ts'
import { ADMIN, type Noun, shellWord, verb } from '../command.ts'
import { BY, count, optional, optionalChoice, reference, required, requiredChoice, WHY } from '../flag.ts'
import { amount, counted, moment, paragraphs, table } from '../layout.ts'
import { presentPaymentRecord, presentTimeline, timelineText } from '../payment-timeline.ts'
import { whyNotPaid } from '../unpaid.ts'

const PAGE_MAX = 500
const PAGE_DEFAULT = 20

const PAYMENT = required('ID', "the payment's id (pay_...)")

const show = verb({
  name: 'show',
  summary: 'One payment with everything that happened to it, and why it is not paid',
  flags: { payment: PAYMENT },
  examples: ['--payment pay_01...'],
  async run(ctx, { payment: id }) {
    return describe(ctx, id)
  },
})

async function describe(ctx: Context, id: string) {
  const timeline = await getTimeline(ctx, id)
  const why = whyNotPaid(ctx, timeline)
  return { json: { ...presentTimeline(ctx, timeline), why }, text: timelineText(ctx, timeline, why) }
}

const list = verb({
  name: 'list',
  summary: 'Payments, the newest first, a page at a time',
  flags: {
    merchant: optional('ID', "only this merchant's"),
    status: optionalChoice('STATUS', 'only those', PAYMENT_STATUSES),
    order: optional('ORDER', "only of this order of the shop's (merchantOrderId)"),
    limit: count('N', 'how many', { max: PAGE_MAX, fallback: PAGE_DEFAULT }),
    after: optional('ID', 'the last payment of the page before'),
  },
  examples: [
    '',
    '--merchant mer_01... --limit 50',
    '--status status_unknown',
    '--order order-1',
    '--after pay_01...',
  ],
  async run(ctx, { merchant: merchantId, status, order, limit, after }) {
    const asked = { merchantId, status, merchantOrderId: order, after, limit }
    const { payments, next } = await listPaymentPage(ctx, asked)
    const rows = payments.map(
      ({ id, createdAt, status, amountMinor, currency, provider, merchantOrderId, metadata }) => [
        id,
        moment(createdAt),
        status,
        amount(amountMinor, currency),
        provider,
        merchantOrderId,
        // What a pay button sold: its order's reference is made up.
        metadata?.source === 'widget' ? String(metadata.productId ?? '') : '',
      ],
    )
    const given = Object.entries({ merchant: merchantId, status, order })
    const scope = given.map(([name, value]) => (value ? ` --${name} ${shellWord(value)}` : ''))
    const more = next && `More: ${ADMIN} payment list${scope.join('')} --limit ${limit} --after ${next}`
    const text =
      payments.length > 0
        ? paragraphs(
            table(['Payment', 'Created', 'Status', 'Amount', 'Route', 'Order', 'Product'], rows),
            more ?? counted(payments.length, 'payment'),
          )
        : 'There is no payment here.'
    return { json: { payments: payments.map((payment) => presentPaymentRecord(ctx, payment)), next }, text }
  },
})

const confirm = verb({
  name: 'confirm',
  summary: 'The money of a manual payment has been seen on the account',
  flags: {
    payment: PAYMENT,
    reference: reference("the bank's reference of the money; it is kept with the payment"),
    by: BY,
  },
  examples: ['--payment pay_01... --reference "RF18 5390 0754"'],
  async run(ctx, { payment: id, reference, by }, { operator }) {
    const { confirmed } = await confirmPayment(ctx, id, { reference, actor: by ?? operator })
    const { json, text } = await describe(ctx, id)
    const before = confirmed ? null : 'It had been confirmed by this reference before: nothing has changed.'
    return { json: { ...json, confirmed }, text: paragraphs(before, text) }
  },
})

const resolve = verb({
  name: 'resolve',
  summary:
    'Decide about a payment that is status_unknown, or give up a manual one; the provider is asked first',
  flags: {
    payment: PAYMENT,
    as: requiredChoice('STATUS', 'what became of it', DECIDED_STATUSES),
    why: WHY,
    by: BY,
  },
  examples: ['--payment pay_01... --as paid --why "seen in the bank\'s statement of 2 August"'],
  async run(ctx, { payment: id, as, why, by }, { operator }) {
    const { said, disagrees } = await resolvePayment(ctx, id, as, { actor: by ?? operator, why })
    const { json, text } = await describe(ctx, id)
    const warning = disagrees && `The provider was asked first, and says otherwise: ${said}.`
    return {
      json: { ...json, providerSaid: said, providerDisagrees: disagrees },
      text: paragraphs(warning, text),
    }
  },
})

export const payment: Noun = {
  name: 'payment',
  summary: 'What became of a payment, and why',
  verbs: [show, list, confirm, resolve],
}
