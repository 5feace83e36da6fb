/** `restore`: the state after `backup restore`, and what the backup did not know. */
import { type RestoreView, readRestore } from '../../../payments/restored/report.ts'
import type { ComparedState, SumRecord } from '../../../storage/restores/checks.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { count } from '../../flag.ts'
import { amount, counted, moment, pairs, paragraphs, table } from '../../layout.ts'
import { confirm } from './restore-confirm.ts'

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show what the backup did not know, and what still waits',
  flags: { limit: count('N', 'the number of payments and orders', { max: 10_000, fallback: 100 }) },
  examples: ['', '--limit 1000'],
  async run(ctx, { limit }) {
    const view = await readRestore(ctx, limit)
    if (!view) return { json: { restore: null }, text: 'No backup was restored into this database.' }
    return { json: { ...view }, text: describe(view) }
  },
})

function describe(view: RestoreView): string {
  const { changed, unasked, sums, restore } = view
  const heads = ['Currency', 'Payments', 'Captured in the backup', 'Captured now', 'Refunded in the backup']
  return paragraphs(
    describeState(view),
    sums.length > 0 && table([...heads, 'Refunded now'], sums.map(rowOf)),
    changed.length > 0 && describeChanged(changed),
    unasked.length > 0 && describeUnasked(unasked),
    describeUnknown(view),
    !restore.endedAt &&
      `The state ends by itself. To end it now, if you have compared the rest by hand: ${ADMIN} restore end --why REASON`,
  )
}

function describeState({ restore, progress }: RestoreView): string {
  const { backupAt, restoredAt, endedAt, endedBy, reason } = restore
  const state = endedAt
    ? `ended at ${moment(endedAt)}${endedBy ? ` by ${endedBy}: ${reason}` : ''}`
    : 'open: refunds, captures, voids and renewals wait, and new payments go on'
  return pairs([
    ['Backup of', moment(backupAt)],
    ['Restored', moment(restoredAt)],
    ['State', state],
    ['Still to ask', `${progress.waiting}, and ${progress.later} older ones for which nothing waits`],
  ])
}

function describeChanged(changed: RestoreView['changed']): string {
  const rows = changed.map(({ id, before, after }) => [
    id,
    before?.status ?? '',
    after?.status ?? '',
    compare(before, after, 'capturedMinor'),
    compare(before, after, 'refundedMinor'),
  ])
  const heads = ['Payment', 'In the backup', 'Now', 'Captured', 'Refunded']
  return `${counted(changed.length, 'payment')} that the backup did not know as they are:\n${table(heads, rows)}`
}

function compare(
  before: ComparedState | null,
  after: ComparedState | null,
  sum: 'capturedMinor' | 'refundedMinor',
): string {
  const [was, is] = [before, after].map((state) => (state ? amount(state[sum], state.currency) : ''))
  return was === is ? (is ?? '') : `${was} > ${is}`
}

function describeUnasked(unasked: RestoreView['unasked']): string {
  const rows = unasked.map(({ id, accountId, problem, dueAt }) => [
    id,
    accountId,
    `${problem}${dueAt ? ' (asked again)' : ''}`,
  ])
  return `Compare these with the provider's records by hand, or wait for the provider:\n${table(['Id', 'Account', 'Why'], rows)}`
}

/** Orders that a merchant has asked for again are in the books now. */
function describeUnknown({ unknownOrders }: RestoreView): string | null {
  const rows = unknownOrders
    .filter(({ paymentId }) => paymentId === null)
    .map(({ reference, accountId, source, reportCount, providerAnswer: answer }) => [
      reference,
      accountId,
      source,
      String(reportCount),
      answer
        ? `${answer.status}, captured ${amount(answer.capturedMinor, answer.currency)}, refunded ${amount(answer.refundedMinor, answer.currency)}`
        : '',
    ])
  if (rows.length === 0) return null
  const heads = ['Reference', 'Account', 'Heard from', 'Times', 'The provider says']
  return `${counted(rows.length, 'order')} that the books do not have. A merchant who repeats the request gets its payment again:\n${table(heads, rows)}`
}

const rowOf = ({ currency, payments, ...sums }: SumRecord) => [
  currency,
  String(payments),
  ...[sums.capturedBefore, sums.capturedAfter, sums.refundedBefore, sums.refundedAfter].map((sum) =>
    amount(BigInt(sum), currency),
  ),
]

export const restore: Noun = {
  name: 'restore',
  summary: 'Show what a restored backup did not know, and confirm it',
  verbs: [show, confirm],
}
