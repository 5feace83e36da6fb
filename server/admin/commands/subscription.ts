/** `subscription`: subscriptions and every attempt to charge them. */
import { SUBSCRIPTION_STATUSES } from '../../contract/subscription.ts'
import { cancelForMerchant } from '../../operator/acts/agreements.ts'
import { doOrRehearse } from '../../operator/acts/rehearse.ts'
import {
  getSubscriptionHistory,
  listSubscriptionPage,
  type SubscriptionRecord,
} from '../../operator/subscription-history.ts'
import { type Noun, verb } from '../command.ts'
import { DRY_RUN, rehearsedOutcome } from '../dry-run.ts'
import { optional, optionalChoice, pageFlags, required } from '../flag.ts'
import { amount, listText, moment, momentFrom, pageEnd, pairs, paragraphs, table } from '../layout.ts'

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

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List subscriptions, newest first, page by page',
  flags: {
    merchant: optional('ID', 'only subscriptions of this merchant'),
    status: optionalChoice('STATUS', 'only subscriptions with this status', SUBSCRIPTION_STATUSES),
    ...pageFlags('subscription'),
  },
  examples: ['', '--status past_due', '--merchant mer_01... --limit 50'],
  async run(ctx, { merchant: merchantId, ...filter }) {
    const { subscriptions, next } = await listSubscriptionPage(ctx, { merchantId, ...filter })
    const rows = subscriptions.map((each) => [
      each.id,
      moment(each.createdAt),
      each.status,
      price(each),
      each.merchantSubscriptionId,
      each.nextChargeAt ? moment(each.nextChargeAt) : '',
    ])
    const text = listText(
      ['Subscription', 'Created', 'Status', 'Price', "Merchant's id", 'Next charge'],
      rows,
      'No subscriptions found.',
      pageEnd(next, rows.length, 'subscription'),
    )
    return { json: { subscriptions, next }, text }
  },
})

const cancel = verb({
  name: 'cancel',
  needs: 'operator',
  summary: 'Cancel a subscription at once; nothing is refunded',
  flags: { subscription: required('ID', "the subscription's id (sub_...)"), dryRun: DRY_RUN },
  examples: ['--subscription sub_01...', '--subscription sub_01... --dry-run'],
  async run(ctx, values, { operator: by }) {
    const cancelled = await doOrRehearse(ctx, values, (own) =>
      cancelForMerchant(own, values.subscription, by),
    )
    const { subscription: view, created } = cancelled
    const text = paragraphs(
      created
        ? 'No new charge is made. A charge that has been sent still finishes.'
        : 'It was cancelled before, so nothing was done.',
      pairs([
        ['Subscription', `${view.id}  ${view.merchantSubscriptionId}`],
        ['Status', view.status],
      ]),
    )
    return rehearsedOutcome(values.dryRun, { json: { ...cancelled }, text })
  },
})

export const subscription: Noun = {
  name: 'subscription',
  summary: 'List, show and cancel subscriptions',
  verbs: [list, show, cancel],
}
