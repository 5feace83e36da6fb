/** `subscription`: subscriptions and every attempt to charge them. */
import { getSubscriptionHistory, type SubscriptionRecord } from '../../operator/subscription-history.ts'
import { type Noun, verb } from '../command.ts'
import { required } from '../flag.ts'
import { amount, moment, momentFrom, pairs, paragraphs, table } from '../layout.ts'

const price = ({ amountMinor, currency, interval }: SubscriptionRecord) =>
  `${amount(amountMinor, currency)} a ${interval}`

const momentOf = (iso: string) => moment(new Date(iso))

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show a subscription with every attempt to charge it',
  flags: { subscription: required('ID', "the subscription's id (sub_...)") },
  examples: ['--subscription sub_01...'],
  async run(ctx, { subscription: id }) {
    const { record, view, charges, waitsFor } = await getSubscriptionHistory(ctx, id)
    const now = ctx.clock.now()
    const rows = charges.map(({ period, attempt, createdAt, state, paymentId, paymentStatus }) => [
      String(period),
      String(attempt),
      moment(createdAt),
      state,
      paymentId,
      paymentStatus ?? '',
    ])
    const text = paragraphs(
      pairs([
        ['Subscription', `${id}  ${record.merchantSubscriptionId}`],
        ['Status', record.cancelReason ? `${record.status} (${record.cancelReason})` : record.status],
        ['Price', price(record)],
        ['Description', record.description],
        [
          'Period',
          `${view.currentPeriod}: ${momentOf(view.currentPeriodStart)} to ${momentOf(view.currentPeriodEnd)}`,
        ],
        ['Next charge', record.nextChargeAt && momentFrom(record.nextChargeAt, now)],
        ['Saved method', record.tokenId],
        ['Merchant', record.merchantId],
        ['Route', record.provider],
        ['Next step', record.dueAt && momentFrom(record.dueAt, now)],
        ['Renewals wait', waitsFor],
      ]),
      rows.length > 0 &&
        `Attempts\n${table(['Period', 'Attempt', 'When', 'State', 'Payment', 'Status'], rows)}`,
    )
    const { merchantId, dueAt } = record
    return { json: { subscription: { ...view, merchantId, dueAt, waitsFor }, charges }, text }
  },
})

export const subscription: Noun = {
  name: 'subscription',
  summary: 'List, show and cancel subscriptions',
  verbs: [show],
}
