import { listPaymentPage } from '../../../operator/payment-timeline.ts'
import { presentPaymentRecord } from '../../../operator/payment-view.ts'
import { listFacts } from '../../../operator/story/facts.ts'
import { hasStandingApproval } from '../../../payments/derived-status.ts'
import { decimalAmount } from '../../../payments/money.ts'
import { decidesBy } from '../../../payments/question-schedule.ts'
import type { AttemptedPayment } from '../../../storage/payments/payment.ts'
import { ADMIN, type Noun, shellWord, verb } from '../../command.ts'
import { count, type Past, pageFlags, required } from '../../flag.ts'
import { amount, counted, moment, paragraphs, table } from '../../layout.ts'
import { zonesFor, zonesText } from '../../zone-flag.ts'
import { describe } from './describe.ts'
import { exportVerb } from './export.ts'
import { FILTER_FLAGS, filterOf, type Given } from './filter.ts'
import { FIND_VERBS } from './find.ts'

const LOG_MAX = 5_000

const PAYMENT = required('ID', "the payment's id (pay_...)")

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show a payment, its history, and why it is not paid',
  flags: { payment: PAYMENT },
  examples: ['--payment pay_01...'],
  async run(ctx, { payment: id }) {
    return describe(ctx, id)
  },
})

const log = verb({
  name: 'log',
  needs: 'viewer',
  summary: 'Show all that happened to a payment, one line each, in order',
  flags: {
    payment: PAYMENT,
    limit: count('N', 'the number of lines, the newest', { max: LOG_MAX, fallback: 500 }),
  },
  examples: ['--payment pay_01...'],
  async run(ctx, { payment: id, limit }) {
    const facts = await listFacts(ctx, id, limit)
    const rows = facts.map(({ at, kind, about, from, to, by, detail }) => [
      ...[moment(at), kind, about ?? '', [from, to].filter(Boolean).join(' -> '), by ?? '', detail ?? ''],
    ])
    return {
      json: { paymentId: id, facts },
      text: table(['When', 'What', 'About', 'Change', 'By', 'Detail'], rows),
    }
  },
})

/** Says since when the provider works on the payment, when it is asked next, and when it must have decided. */
function workText(payment: AttemptedPayment): string {
  const { underWaySince, questionDueAt } = payment.attempt
  const until = decidesBy(payment)
  if (!underWaySince || !until) return ''
  if (hasStandingApproval(payment.attempt))
    return `the buyer has approved, and the provider has not let this account take the money since ${moment(underWaySince)}`
  const next = questionDueAt ? `, next question ${moment(questionDueAt)}` : ''
  return `the provider is working on it since ${moment(underWaySince)}${next}, decides at the latest ${moment(until)}`
}

/** The flags that the next page needs too. Times and sums are written so that they mean the same later. */
function scopeOf(given: Given, now: Date): string {
  const { merchant, status, order, customer, route, since, until, by, min, max, warned } = given
  const timeText = (at: typeof since) => at && timeOf(at, now)
  const sum = (minor: number | undefined) => minor && decimalAmount(minor, 'USD')
  const texts = {
    merchant,
    status,
    order,
    customer,
    route,
    since: timeText(since),
    until: timeText(until),
    by,
    min: sum(min),
    max: sum(max),
  }
  const scope = Object.entries(texts).map(([name, value]) => (value ? ` --${name} ${shellWord(value)}` : ''))
  return `${scope.join('')}${warned ? ' --warned' : ''}`
}

/** A day begins in each zone at another time, so it stays a day. */
function timeOf(at: Past, now: Date): string {
  const [text, ahead] = ['UTC', 'Etc/GMT-1'].map((zone) => at(now, zone).toISOString())
  return text === ahead ? `${text}` : `${text?.slice(0, 10)}`
}

const HEADINGS = ['Payment', 'Created', 'Status', 'Amount', 'Route', 'Order', 'Product']

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List payments, newest first, page by page',
  flags: {
    ...FILTER_FLAGS,
    ...pageFlags('payment'),
  },
  examples: [
    '',
    '--merchant mer_01... --limit 50',
    '--status status_unknown',
    '--warned',
    '--order order-1',
    '--customer ani@shop.example --since 30d',
    '--route route_a --min 10.00 --max 50.00',
    '--after pay_01...',
  ],
  async run(ctx, { limit, after = null, ...given }) {
    const zones = await zonesFor(ctx, { zone: undefined, merchant: given.merchant })
    const filter = filterOf(ctx, given, zones)
    const { payments, next, isCut } = await listPaymentPage(ctx, { ...filter, after, limit })
    const rows = payments.map((each) => {
      const { id, createdAt, status, amountMinor, currency, merchantOrderId, productId } = each
      // The order reference of a pay button says nothing to a person, so show the product.
      const sum = amount(amountMinor, currency)
      return [
        id,
        moment(createdAt),
        status,
        sum,
        each.attempt.provider,
        merchantOrderId,
        productId ?? '',
        workText(each),
      ]
    })
    const isAnyUnderWay = payments.some((each) => decidesBy(each))
    const looked = isCut
      ? `This page has looked at the payments down to ${next}. To look at older ones, go on, or give a time with --until.`
      : null
    const more =
      next && `More: ${ADMIN} payment list${scopeOf(given, ctx.clock.now())} --limit ${limit} --after ${next}`
    const text = paragraphs(
      payments.length > 0
        ? table(isAnyUnderWay ? [...HEADINGS, 'Under way'] : HEADINGS, rows)
        : 'No payments found.',
      looked,
      given.since || given.until ? zonesText(zones) : null,
      more ?? (payments.length > 0 ? counted(payments.length, 'payment') : null),
    )
    const json = { payments: payments.map((payment) => presentPaymentRecord(ctx, payment)), next, isCut }
    return { json, text }
  },
})

export const payment: Noun = {
  name: 'payment',
  summary: 'Find, show, refund, capture, void and decide payments',
  verbs: [show, list, log, ...FIND_VERBS, exportVerb],
}
